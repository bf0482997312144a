import type { LogData } from '@tollgate/contract';

/** The team whose wallet paid, by its name or, once it was deleted, its number; '' where people pay for themselves. */
export const teamOf = ({ team_id: id, team_name: name }: Pick<LogData, 'team_id' | 'team_name'>): string =>
  id === 0 ? '' : name || `#${id}`;
