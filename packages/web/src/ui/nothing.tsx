import { nothing } from '../lib/format/nothing.ts';

/** The dash of a cell without a value: quieter than the values beside it. */
export const Nothing = () => <span style={{ color: 'var(--tg-text-2)' }}>{nothing}</span>;
