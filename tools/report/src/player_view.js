// The state as people see it, slot by slot, as plain data. Pure: no page.

function holding(state, actor, atom) {
  const { atoms, groups, actors } = state.player;
  const group = groups[actors[actor].group];
  const at = state.cell(actor, atom);
  return {
    atom,
    shard: atoms.shard[atom],
    piece: atoms.piece[atom],
    origins: state.cells.positions(at).map((position) => actors[group[position]].name),
    count: state.cells.count[at],
    spent: state.cells.spent[at] === 1,
  };
}

function actorState(state, layout, actor) {
  const slots = Array.from({ length: layout.columns }, (_, slot) => ({ slot, atoms: [] }));
  const passing = [];
  for (let atom = 0; atom < state.atoms; atom += 1) {
    if (state.isEmpty(state.cell(actor, atom))) continue;
    const column = layout.columnOf(actor, atom);
    const here = holding(state, actor, atom);
    const gone = here.spent && (column < 0 || layout.kind === 'block');
    if (!gone) (column < 0 ? passing : slots[column].atoms).push(here);
  }
  return { name: state.player.actors[actor].name, slots, passing };
}

// Of every actor at a step; the state is left where it was.
export function stateAt(state, layout, step) {
  const before = state.position;
  state.seek(step);
  const all = state.player.actors.map((_, actor) => actorState(state, layout, actor));
  state.seek(before);
  return all;
}
