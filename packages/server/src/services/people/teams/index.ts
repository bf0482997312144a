export { hasTeamRole, type Membership } from './access.ts';
export { teamMark } from './deps.ts';
export { turnLimit } from './limit.ts';
export { createTeams, type Teams } from './teams.ts';
