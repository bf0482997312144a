import { nothing } from '../lib/format/nothing.ts';

/** The dash of a cell without a value, dimmer than values. Cards omit empty facts. */
export const Nothing = () => (
  <span data-nothing style={{ color: 'var(--tg-text-2)' }}>
    {nothing}
  </span>
);
