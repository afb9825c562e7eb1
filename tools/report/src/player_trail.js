// The way of followed data, drawn above the cells: everything else pale, arrows for what has been (solid) and what is
// to come (dashed). Of many messages one way through the cell stands out, and the others are faint lines.

const kMostLines = 1500;
const kMostArrows = 16;

const middle = ({ x, y, w, h }) => ({ x: x + w / 2, y: y + h / 2 });

function veil(painter, path) {
  const { top, layout } = painter;
  top.globalAlpha = 0.68;
  top.fillStyle = painter.page;
  top.fillRect(
    layout.labelWidth,
    layout.headerHeight,
    layout.width - layout.labelWidth,
    layout.height - layout.headerHeight,
  );
  top.globalAlpha = 1;
  for (const actor of path.actors) {
    const spot = spotOf(painter, actor, path.atom);
    top.clearRect(spot.x - 1, spot.y - 1, spot.w + 2, spot.h + 2);
  }
}

function spotOf({ layout }, actor, atom) {
  const column = layout.columnOf(actor, atom);
  return column < 0 ? layout.passing(actor) : layout.slot(actor, column);
}

// A bow from sender to receiver, where both are in one column to the right on the way down and to the left on the way
// up; a head at its end.
function bow(top, from, to) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const out = Math.abs(dx) < 4 ? Math.sign(dy) * Math.min(140, 16 + Math.abs(dy) * 0.3) : 0;
  const bend = { x: (from.x + to.x) / 2 + out, y: (from.y + to.y) / 2 };
  top.beginPath();
  top.moveTo(from.x, from.y);
  top.quadraticCurveTo(bend.x, bend.y, to.x, to.y);
  top.stroke();
  return bend;
}

function arrow(top, from, to) {
  const bend = bow(top, from, to);
  const turn = Math.atan2(to.y - bend.y, to.x - bend.x);
  top.setLineDash([]);
  top.beginPath();
  for (const side of [-0.45, 0.45]) {
    top.moveTo(to.x, to.y);
    top.lineTo(to.x - 7 * Math.cos(turn + side), to.y - 7 * Math.sin(turn + side));
  }
  top.stroke();
}

export function drawTrail(painter, path) {
  const { state, top } = painter;
  const { from, to } = state.player.messages;
  veil(painter, path);
  const many = path.came.length + path.goes.length > kMostArrows;
  const ends = (m) => [middle(spotOf(painter, from[m], path.atom)), middle(spotOf(painter, to[m], path.atom))];
  const done = (m) => state.stepOf[m] <= state.position;
  top.globalAlpha = 0.3;
  top.lineWidth = 0.6;
  for (const m of many ? [...path.came, ...path.goes].slice(0, kMostLines) : []) {
    top.strokeStyle = done(m) ? painter.text : painter.accent;
    bow(top, ...ends(m));
  }
  top.globalAlpha = 1;
  for (const m of many ? path.main : [...path.came, ...path.goes]) {
    top.strokeStyle = done(m) ? painter.text : painter.accent;
    top.lineWidth = state.stepOf[m] === state.position ? 2.5 : 1.4;
    top.setLineDash(done(m) ? [] : [4, 3]);
    arrow(top, ...ends(m));
  }
  for (const slot of painter.slotsOf([state.cell(path.actor, path.atom)])) painter.ring(slot, painter.accent, 3);
}
