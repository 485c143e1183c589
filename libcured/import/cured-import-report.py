# SPDX-License-Identifier: MIT
# Writes a report of Nsight Compute as “ncu --csv --page raw” does.
import sys
sys.path = [p for p in sys.path if p]
try:
    import ncu_report
except ImportError:
    sys.exit(3)
import csv
report = ncu_report.load_report(sys.argv[1])
rows, units = [], {}
for i in range(report.num_ranges()):
    part = report.range_by_idx(i)
    for j in range(part.num_actions()):
        action = part.action_by_idx(j)
        found = {}
        for name in action.metric_names():
            metric = action.metric_by_name(name)
            value = metric.value() if metric is not None and metric.has_value() else None
            if isinstance(value, (int, float)) or name.endswith('display_name'):
                found[name] = value
                units.setdefault(name, metric.unit() or '')
        def size(kind):
            return tuple(int(found.get('launch__%s_dim_%s' % (kind, d)) or 1) for d in 'xyz')
        rows.append((action.name(), size('block'), size('grid'), found))
names = sorted(name for name in units if ':' not in name)
out = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL, lineterminator='\n')
out.writerow(['ID', 'Kernel Name', 'Block Size', 'Grid Size', 'Device', 'CC'] + names)
out.writerow([''] * 6 + [units[name] for name in names])
for i, (name, block, grid, found) in enumerate(rows):
    cc = '.'.join('%d' % (found.get('device__attribute_compute_capability_' + part) or 0)
                  for part in ('major', 'minor'))
    out.writerow([i, name, block, grid, 0, cc] +
                 ['' if found.get(n) is None else
                  found[n] if isinstance(found[n], str) else repr(found[n]) for n in names])
