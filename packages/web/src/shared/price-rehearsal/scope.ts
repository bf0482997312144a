import type { CallOf, rehearsalApi } from '@tollgate/contract';

/** The repriced past charges, as in the form. */
export interface Scope {
  /** Number of last days; 0 for a custom range. */
  days: number;
  /** Unix seconds; 0 for no bound. They apply if `days` is 0. */
  start: number;
  end: number;
  models: readonly string[];
  groups: readonly string[];
  /** 0 for all users. */
  user: number;
}

/** Initial values of the form: a week of all charges. */
export const wholeWeek: Scope = { days: 7, start: 0, end: 0, models: [], groups: [], user: 0 };

type Selection = Omit<CallOf<typeof rehearsalApi.start>, 'draft'>;

/** Converts to the call's input. A range without a start begins with the first charge. */
export const selectionOf = ({ days, start, end, models, groups, user }: Scope): Selection => ({
  ...(days > 0 ? { days } : { start: Math.max(1, start), end }),
  models: [...models],
  groups: [...groups],
  user,
});
