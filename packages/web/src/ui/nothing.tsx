import { nothing } from '../lib/format/nothing.ts';

/** The dash of a cell without a value: quieter than the values beside it. A card leaves out what has none. */
export const Nothing = () => (
  <span data-nothing style={{ color: 'var(--tg-text-2)' }}>
    {nothing}
  </span>
);
