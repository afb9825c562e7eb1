// What a timeline shows, as rows of stretches with their places from above.

const kHeights = { compute: 16, communication: 16, exposed: 8, path: 16 };
const kLinkHeight = 11;
const kNameHeight = 13;
const kBetweenChips = 9;
const kBetweenLanes = 2;
const kMostTracks = 4;
const kInstant = 1e-13; // seconds: below a picosecond, the simulation's unit

// Stretches of one lane that overlap, as those of steps at once, lie below one another.
function inTracks(stretches) {
  const ends = [];
  for (const stretch of stretches) {
    let track = ends.findIndex((end) => end <= stretch.start + kInstant);
    if (track < 0) track = Math.min(ends.length, kMostTracks - 1);
    ends[track] = Math.max(ends[track] ?? 0, stretch.end);
    stretch.track = track;
  }
  return Math.max(1, ends.length);
}

function byLane({ chips, lanes, stretches }) {
  const all = chips.map(() => lanes.map(() => []));
  const { chip, lane, step, start_s: start, end_s: end } = stretches;
  for (let i = 0; i < chip.length; i += 1)
    all[chip[i]][lane[i]].push({ step: step[i], start: start[i], end: end[i], track: 0 });
  for (const chipLanes of all) for (const one of chipLanes) one.sort((a, b) => a.start - b.start);
  return all;
}

function pathRow({ critical_path: path }) {
  const stretches = path.map((part) => ({
    step: part.step,
    start: part.start_s,
    end: part.end_s,
    track: 0,
    kind: part.what === 'link_wait' && part.held_by === part.step ? 'own_queue' : part.what,
    notes: part.link ? [['link', part.link]] : [['chip', String(part.chip)]],
  }));
  return {
    name: 'critical path',
    chip: 'critical path',
    lane: '',
    kind: 'path',
    stretches,
    tracks: 1,
    height: kHeights.path,
    begins: true,
  };
}

function chipRows(chip, lanes, stretches, isShown) {
  const rows = [
    {
      name: chip.name,
      why: chip.why,
      chip: chip.name,
      lane: '',
      kind: 'name',
      stretches: [],
      tracks: 1,
      height: kNameHeight,
      begins: true,
    },
  ];
  lanes.forEach((lane, i) => {
    if (!isShown(i)) return;
    const tracks = inTracks(stretches[i]);
    const height = Math.max(kHeights[lane] ?? kLinkHeight, tracks * 6);
    rows.push({
      chip: chip.name,
      lane,
      tracks,
      height,
      kind: lane === 'exposed' ? 'exposed' : 'step',
      stretches: stretches[i],
    });
  });
  return rows;
}

export function makeRows(timeline, result, links) {
  const stretches = byLane(timeline);
  const rows = result.critical_path ? [pathRow(result)] : [];
  const isUsed = timeline.lanes.map((_, i) => stretches.some((lanes) => lanes[i].length > 0));
  timeline.chips.forEach((chip, i) => {
    const isShown = (lane) =>
      timeline.lanes[lane] in kHeights ? isUsed[lane] : links && stretches[i][lane].length > 0;
    rows.push(...chipRows(chip, timeline.lanes, stretches[i], isShown));
  });
  let top = 0;
  for (const row of rows) {
    top += row.begins ? kBetweenChips : kBetweenLanes;
    row.top = top;
    top += row.height;
  }
  return { rows, height: top + 4 };
}
