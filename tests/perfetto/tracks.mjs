// The tracks of an imported trace in the order in which the interface shows them: it runs the same SQL module.

// The tracks outside processes, as trees of { ids, name, isCounter, hasData, children }; several ids: drawn as one.
export function readTracks(processor, upid = null) {
  processor.query('include perfetto module viz.summary.track_event');
  const all = processor.query(`select parent_id, track_ids, name, is_counter, has_data
      from _track_event_tracks_ordered_groups
      where (has_data or has_children) and upid is ${upid ?? 'null'}
      order by parent_id, order_id`)
    .rows.map(([parent, ids, name, isCounter, hasData]) =>
      ({ parent, ids: String(ids).split(',').map(Number), name, isCounter, hasData }));
  const below = (parent) => all.filter((track) => track.parent === parent)
    .map((track) => ({ ...track, children: below(track.ids[0]) }));
  return below(null);
}
