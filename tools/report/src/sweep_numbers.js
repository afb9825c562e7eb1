// The numbers that points of a sweep have, whichever of them ranks points.

// {key of a point, label, unit, path: where --best finds it, if elsewhere}; shares are in %.
export const kNumbers = [
  { key: 'time_s', label: 'time', unit: 's' },
  { key: 'compute_s', label: 'compute', unit: 's' },
  { key: 'comm_s', label: 'communication', unit: 's' },
  { key: 'exposed_comm_s', label: 'exposed communication', unit: 's' },
  { key: 'overlap', label: 'hidden share of communication', unit: '%' },
  { key: 'mfu', label: 'MFU', unit: '%' },
  { key: 'max_utilization', label: 'utilisation of the busiest link', unit: '%', path: 'links.max_utilization' },
  { key: 'peak_bytes_per_chip', label: 'peak memory of a chip', unit: 'B', path: 'memory.peak_bytes_per_chip' },
  { key: 'against_best', label: 'against best', unit: '' },
];

const kOtherShares = ['links.mean_utilization'];

// The one that a metric is, if it is one of them.
export const numberOf = (metric) => kNumbers.find(({ key, path = key }) => path === metric.path);

// Named as everywhere on the page.
export function named(metric) {
  const number = numberOf(metric);
  if (number) return { ...metric, label: number.label, unit: number.unit };
  return kOtherShares.includes(metric.path) ? { ...metric, unit: '%' } : metric;
}
