import { type ErrorCode, errors, type Route, type TeamRole, teamRole, worksInDemo } from '@tollgate/contract';

/** Refusals of each access level before the call runs, in the order of the guard. */
const guardCodes: Record<Route['access'], readonly ErrorCode[]> = (() => {
  const user: ErrorCode[] = [
    'not_logged_in',
    'invalid_access_token',
    'user_header_missing',
    'user_header_malformed',
    'user_header_mismatch',
    'cross_site',
    'user_banned',
    'invalid_user_info',
  ];
  const ranked: ErrorCode[] = [...user, 'insufficient_role', 'second_factor_required'];
  return { public: [], 'try-user': [], user, admin: ranked, root: ranked };
})();

/** Refusals that any call may return. */
const always: readonly ErrorCode[] = [
  'invalid_input',
  'invalid_parameter',
  'too_many_requests',
  'internal',
  'database_unavailable',
];
const withBody: readonly ErrorCode[] = ['malformed_body', 'body_too_large', 'unknown_members'];
/** The refusal that requires the password if an account has no second factor. */
const askingAgain: readonly ErrorCode[] = [
  'password_required',
  'wrong_password',
  'sign_in_again',
  'too_many_attempts',
  'server_busy',
];
const askingHuman: readonly ErrorCode[] = ['human_check_missing', 'human_check_failed'];

const inTeam = (needed: TeamRole): readonly ErrorCode[] =>
  needed > teamRole.member ? ['team_not_found', 'team_role_insufficient'] : ['team_not_found'];

/** Every possible refusal of a call: its own, and those of access, limits and input. */
export function refusalsOf(route: Route): ErrorCode[] {
  const codes = [
    ...guardCodes[route.access],
    ...(route.method === 'GET' && !route.critical ? [] : (['cross_site'] as const)),
    ...(route.teamRole === undefined ? [] : inTeam(route.teamRole)),
    ...(route.access === 'public' ? [] : (['access_token_scope'] as const)),
    ...(route.reauthenticate ? (['verify_again'] as const) : []),
    ...(route.reauthenticate === 'always' ? askingAgain : []),
    ...(route.humanCheck ? askingHuman : []),
    ...(worksInDemo(route) ? [] : (['demo_site'] as const)),
    ...(route.errors ?? []),
    // A DELETE needs no body, but a body that is sent is read.
    ...(route.method === 'GET' ? [] : withBody),
    ...always,
  ];
  return [...new Set(codes)];
}

/** The same by HTTP status. */
export function refusalsByStatus(route: Route): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of refusalsOf(route)) {
    const { status } = errors[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}
