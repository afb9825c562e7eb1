// Where the time of a run went: compute, and communication beside it or not.
import { chart, formatType } from './charts.js';
import { formatTime } from './format.js';
import { kindColor } from './theme.js';

const kKinds = ['compute', 'hidden', 'exposed'];

function values({ time_s: time, compute_s: compute, comm_s: comm, exposed_comm_s: exposed }) {
  return [
    { row: 'time', kind: 'time', from: 0, to: time },
    { row: 'compute', kind: 'compute', from: 0, to: compute },
    { row: 'communication', kind: 'exposed', from: 0, to: exposed },
    { row: 'communication', kind: 'hidden', from: exposed, to: comm },
  ].map((bar) => ({ ...bar, text: formatTime(bar.to - bar.from) }));
}

export function timeChart(result) {
  const rows = ['time', 'compute', 'communication'];
  return chart('The time of the run beside its compute and its communication, exposed or hidden', () => ({
    data: { values: values(result).filter((bar) => bar.to > bar.from || bar.kind === 'time') },
    height: { step: 22 },
    mark: { type: 'bar', height: { band: 0.72 } },
    encoding: {
      y: { field: 'row', type: 'nominal', sort: rows, title: null, axis: { domain: false, ticks: false } },
      x: {
        field: 'from',
        type: 'quantitative',
        title: null,
        axis: { ...formatType('s'), tickCount: { expr: 'width / 90' }, labelOverlap: true },
      },
      x2: { field: 'to' },
      color: {
        field: 'kind',
        type: 'nominal',
        title: null,
        legend: { values: kKinds },
        scale: { domain: ['time', ...kKinds], range: ['time', ...kKinds].map(kindColor) },
      },
      tooltip: [
        { field: 'row', title: 'what' },
        { field: 'kind', title: 'kind' },
        { field: 'text', title: 'time' },
      ],
    },
  })).element;
}
