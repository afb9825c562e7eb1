// Rows that are alike, as a stack of layers has them, as one: {...first, alike: [row]}, in the place of the first.
// As in the tables of the terminal, of four or more.
const kLeastAlike = 4;

export function foldAlike(rows, keyOf, join = (alike) => ({ ...alike[0], alike })) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (groups.has(key)) groups.get(key).push(row);
    else groups.set(key, [row]);
  }
  return rows.flatMap((row) => {
    const group = groups.get(keyOf(row));
    if (group.length < kLeastAlike) return [row];
    return group[0] === row ? [join(group)] : [];
  });
}

export const stepKey = (step) =>
  JSON.stringify([
    step.program,
    step.text,
    step.kind,
    step.algorithm,
    step.bytes,
    step.flops_s,
    step.hbm_s,
    step.mfu > 0, // nothing that is computed again counts
    step.started,
    step.finished,
  ]);
