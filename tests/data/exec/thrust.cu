// SPDX-License-Identifier: MIT
// Thrust and CUB: a sort, a reduction and a scan.
#include <cstdio>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

int
main ()
{
  const int n = 20000;
  thrust::host_vector<unsigned> numbers (n);
  thrust::device_vector<unsigned> sorted;
  thrust::device_vector<int> sequence (n);
  thrust::device_vector<int> sum (1);
  size_t n_bytes = 0;
  void *work = NULL;
  bool is_right = true;

  for (int i = 0; i < n; i++)
    numbers[i] = i * 2654435761u >> 4;
  sorted = numbers;
  thrust::sort (sorted.begin (), sorted.end ());
  numbers = sorted;
  for (int i = 1; i < n; i++)
    is_right = is_right && numbers[i - 1] <= numbers[i];
  thrust::sequence (sequence.begin (), sequence.end ());
  is_right = is_right && thrust::reduce (sequence.begin (), sequence.end (), 0) == 199990000;
  thrust::inclusive_scan (sequence.begin (), sequence.end (), sequence.begin ());
  is_right = is_right && sequence[3] == 6;
  cub::DeviceReduce::Sum (work, n_bytes, sequence.begin (), sum.begin (), 4);
  cudaMalloc (&work, n_bytes);
  cub::DeviceReduce::Sum (work, n_bytes, sequence.begin (), sum.begin (), 4);
  is_right = is_right && sum[0] == 10;
  cudaFree (work);
  puts (is_right ? "as it should be" : "wrong");
  return 0;
}
