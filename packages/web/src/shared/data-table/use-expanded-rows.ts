import type { ExpandedState, Updater } from '@tanstack/react-table';
import { useState } from 'react';
import type { Unfolded } from './types.ts';

/** Which rows of a table are unfolded; a page that keeps the newest in its address finds it open again. */
export function useExpandedRows(unfolded: Unfolded | undefined) {
  const [expanded, setExpanded] = useState<ExpandedState>(() =>
    unfolded?.id ? { [unfolded.id]: true } : {},
  );
  const onChange = (updater: Updater<ExpandedState>) => {
    const next = typeof updater === 'function' ? updater(expanded) : updater;
    setExpanded(next);
    unfolded?.onChange(newestOf(expanded, next, unfolded.id));
  };
  return { expanded, onChange };
}

/** The row that a click has unfolded; where it folded one, the one that was known before and still is unfolded. */
function newestOf(before: ExpandedState, next: ExpandedState, known: string): string {
  const was = before === true ? {} : before;
  const is = next === true ? {} : next;
  return Object.keys(is).find((id) => is[id] && !was[id]) ?? (is[known] ? known : '');
}
