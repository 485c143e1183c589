#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a manual page of a page of the documentation.

Knows the Markdown that docs/ is written in: headings, paragraphs, lists, code,
tables, emphasis and links. A table becomes a list, each row under its first
cell, since a terminal has no room for columns of text.

usage: markdown-to-man.py PAGE.md NAME SECTION DESCRIPTION VERSION [MD=PAGE…]

A link to MD names the manual page PAGE instead, such as banks.md=cured-banks(7).
"""

import pathlib
import re
import sys


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text)


class Page:
    def __init__(self, links):
        self.links = links
        self.out = []

    def inline(self, text):
        """Code is bold, as what is typed is; emphasis is slanted."""
        kept = []

        def keep(roff):
            kept.append(roff)
            return f"\0{len(kept) - 1}\0"

        def link(match):
            label, target = match[1], match[2]
            file = target.partition("#")[0]
            if file in self.links:
                return f"{label} ({keep(escape(self.links[file]))})"
            if "://" in target and target != label:
                return f"{label} ({keep(escape(target))})"
            return label

        text = re.sub(r"``(.+?)``|`([^`]+)`", lambda m: keep(
            "\\fB" + escape(m[1] or m[2]) + "\\fP"), text)
        text = re.sub(r"!?\[([^]]*)\]\(([^)\s]+)\)", link, text)
        text = re.sub(r"<(https?://[^>]+)>", r"\1", text)
        text = re.sub(r"\\([\\`*_|<>\[\]#.-])", lambda m: keep(escape(m[1])),
                      text)
        text = escape(text)
        text = re.sub(r"\*\*(.+?)\*\*", r"\\fB\1\\fP", text)
        text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"\\fI\1\\fP",
                      text)
        while "\0" in text:
            text = re.sub("\0(\\d+)\0", lambda m: kept[int(m[1])], text)
        return re.sub(r"^([.'])", r"\\&\1", text)

    def add(self, *lines):
        self.out += lines

    def code(self, lines):
        self.add(".RS 4", ".nf", *(escape(line) or "\\&" for line in lines),
                 ".fi", ".RE")

    def table(self, rows):
        head, *body = [[cell.strip() for cell in re.split(
            r"(?<!\\)\|", row.strip().strip("|"))] for row in rows]
        for cells in body[1:]:
            self.add(".TP", self.inline(cells[0]) or "\\&")
            for title, cell in list(zip(head, cells))[1:]:
                if cell and len(head) > 2 and title:
                    cell = f"{title}: {cell}"
                if cell:
                    self.add(self.inline(cell), ".br")
            if self.out[-1] == ".br":
                self.out.pop()
            else:
                self.add("\\&")

    def items(self, lines):
        """A list; what is indented below an item belongs to it."""
        indent = re.match(r"\s*([-*]|\d+\.)\s+", lines[0]).end()
        item = []
        number = None

        def flush():
            if item:
                self.add(f".IP {number} 4" if number else ".IP \\(bu 2")
                self.blocks(item, is_item=True)

        for line in lines:
            match = re.match(r"([-*]|\d+\.)\s+(.*)", line)
            if match:
                flush()
                number = match[1] if match[1][0].isdigit() else None
                item = [match[2]]
            else:
                item.append(line[indent:] if not line[:indent].strip()
                            else line.strip())
        flush()

    def blocks(self, lines, is_item=False):
        at = 0
        is_first = is_item
        is_fresh = is_item
        while at < len(lines):
            line = lines[at]
            start = at
            if not line.strip():
                at += 1
                continue
            if line.startswith("```"):
                at += 1
                while at < len(lines) and not lines[at].startswith("```"):
                    at += 1
                if not is_fresh:
                    self.add(".PP")
                self.code(lines[start + 1:at])
                at += 1
            elif re.match(r"#+ ", line):
                level = len(line) - len(line.lstrip("#"))
                title = self.inline(line.lstrip("# "))
                self.add(f".SH {title}" if level < 3 else f".SS {title}")
                at += 1
                is_fresh = True
                is_first = False
                continue
            elif line.lstrip().startswith("|"):
                while at < len(lines) and lines[at].lstrip().startswith("|"):
                    at += 1
                self.table(lines[start:at])
            elif re.match(r"([-*]|\d+\.)\s", line):
                while at < len(lines) and (
                        re.match(r"([-*]|\d+\.)\s|\s+\S", lines[at]) or
                        not lines[at].strip() and at + 1 < len(lines) and
                        re.match(r"\s+\S|([-*]|\d+\.)\s", lines[at + 1]) or
                        at > start and lines[at].strip() and
                        lines[at - 1].strip() and
                        not re.match(r"[#|`]", lines[at])):
                    at += 1
                if is_item:
                    self.add(".RS 4")
                self.items(lines[start:at])
                if is_item:
                    self.add(".RE")
            else:
                while at < len(lines) and lines[at].strip() and not re.match(
                        r"```|#+ |\s*\||([-*]|\d+\.)\s", lines[at]):
                    at += 1
                at = max(at, start + 1)
                if is_item and not is_first:
                    self.add(".IP" if is_item else ".PP")
                elif not is_fresh:
                    self.add(".PP")
                self.add(*re.split(
                    r"(?<=[.:;?!]) +(?=[A-Z`“])",
                    self.inline(" ".join(part.strip()
                                         for part in lines[start:at]))))
            is_first = is_fresh = False


def main():
    source, name, section, description, version, *links = sys.argv[1:]
    lines = pathlib.Path(source).read_text(encoding="utf-8").splitlines()
    page = Page(dict(link.split("=") for link in links))
    page.add(f".\\\" Made of {pathlib.Path(source).name}.",
             f".TH {name.upper()} {section} \"\" \"Cured {version}\"",
             ".SH NAME", f"{escape(name)} \\- {escape(description)}",
             ".SH DESCRIPTION")
    # The title is the name; what follows it up to the next heading describes.
    page.blocks(["# "] + lines[1:])
    text = "\n".join(page.out) + "\n"
    sys.stdout.write(text.replace(".SH DESCRIPTION\n.SH \n",
                                  ".SH DESCRIPTION\n"))


if __name__ == "__main__":
    main()
