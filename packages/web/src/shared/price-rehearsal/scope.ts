import type { CallOf, rehearsalApi } from '@tollgate/contract';

/** Which charges of the past are repriced, as the form has it. */
export interface Scope {
  /** Of the last so many days; 0 for a span of its own. */
  days: number;
  /** Unix seconds; 0 for no bound. They count where `days` is 0. */
  start: number;
  end: number;
  models: readonly string[];
  groups: readonly string[];
  /** 0 for everybody. */
  user: number;
}

/** What the form begins with: a week of everything. */
export const wholeWeek: Scope = { days: 7, start: 0, end: 0, models: [], groups: [], user: 0 };

type Selection = Omit<CallOf<typeof rehearsalApi.start>, 'draft'>;

/** In the words of the call. A span without a beginning begins with the first charge. */
export const selectionOf = ({ days, start, end, models, groups, user }: Scope): Selection => ({
  ...(days > 0 ? { days } : { start: Math.max(1, start), end }),
  models: [...models],
  groups: [...groups],
  user,
});
