import type { LogData } from '@tollgate/contract';

/** The paying team's name, or its id if it was deleted; '' if the user pays. */
export const teamOf = ({ team_id: id, team_name: name }: Pick<LogData, 'team_id' | 'team_name'>): string =>
  id === 0 ? '' : name || `#${id}`;
