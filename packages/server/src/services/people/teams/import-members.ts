import {
  AppError,
  isMailAddress,
  type Language,
  type MemberImportResult,
  type MemberImportRow,
  teamRole,
  teamStatus,
} from '@tollgate/contract';
import { isTimeZone } from '../../../lib/calendar-windows.ts';
import { seconds } from '../../../lib/clock.ts';
import { randomText } from '../../../lib/random.ts';
import { type Db, teamInvitations, teamMembers, teams, users } from '../../../store/index.ts';
import { giveBudgets, type MemberBudget, hasBudget, setBudget } from '../../money/budgets/index.ts';
import type { VerbContext } from '../../money/ledger/index.ts';
import type { Membership } from './access.ts';
import { changingTeam, type TeamsDeps } from './deps.ts';
import { invite, type InvitedLimit, maxMembers, maxOpen, readLimits, writeLimits } from './invitations.ts';
import { setMember } from './members.ts';

/** Who imports: the owner, who invites, or root, who adds users and creates unknown ones. */
type Importer =
  | { kind: 'owner'; membership: Membership; mayMail: () => boolean }
  | { kind: 'root'; team: teams.TeamRow };

export interface MemberImport {
  rows: readonly MemberImportRow[];
  timeZone: string;
  /** Only tells what would happen. */
  isDry: boolean;
  language: Language;
}

const invitationDays = 30;
/** Length of a generated password: 95 random bits. */
const passwordLength = 16;
/** Length of names that administrators may give. */
const maxName = 20;

const teamOf = (importer: Importer): teams.TeamRow =>
  importer.kind === 'owner' ? importer.membership.team : importer.team;

/**
 * Adds members with their limits, each row in a transaction of its own; a row that changes nothing writes nothing. The
 * results are in the order of the rows. Limits of invited users are part of the invitation until they join, because an
 * owner must not see who has an account.
 */
export async function importMembers(
  deps: TeamsDeps,
  importer: Importer,
  { rows, timeZone, isDry, language }: MemberImport,
): Promise<MemberImportResult[]> {
  const team = teamOf(importer);
  if (team.status !== teamStatus.enabled) throw new AppError('team_is_banned');
  if (!isTimeZone(timeZone)) throw new AppError('invalid_parameter');
  const results: MemberImportResult[] = [];
  const seen: Seen = { people: new Set(), added: 0, invited: 0 };
  let hasBudgets = false;
  try {
    for (const row of rows) {
      try {
        const plan = await planRow(deps, importer, row, timeZone, seen);
        const made =
          isDry || plan.outcome === 'unchanged' ? {} : await applyRow(deps, importer, plan, language);
        // New members may also get the default budgets.
        hasBudgets ||= !isDry && plan.outcome !== 'unchanged';
        results.push({
          outcome: plan.outcome,
          username: plan.username,
          error: '',
          password: '',
          code: '',
          ...made,
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const username = row.username || row.email;
        results.push({ outcome: 'error', username, error: error.say(language), password: '', code: '' });
      }
    }
  } finally {
    if (hasBudgets) await deps.budgetsChanged();
  }
  return results;
}

/** What earlier rows of the same import do. */
interface Seen {
  people: Set<string>;
  added: number;
  invited: number;
}

type ImportedBudget = Omit<MemberBudget, 'user_id'> & InvitedLimit;

interface Plan {
  outcome: Exclude<MemberImportResult['outcome'], 'error'>;
  row: MemberImportRow;
  /** The user, or the invited name or address. */
  username: string;
  userId: number;
  /** Role after the import. */
  role: number;
  budgets: readonly ImportedBudget[];
  /** The open invitation that the row changes, with its new limits. */
  invitation?: { id: number; limits: readonly InvitedLimit[] };
}

/** The user of a row. Throws `import_name_missing` and `import_two_people`. */
async function findPerson(db: Db, { username, email }: MemberImportRow): Promise<users.UserRow | undefined> {
  if (username === '' && email === '') throw new AppError('import_name_missing');
  if (email !== '' && !isMailAddress(email)) throw new AppError('email_malformed');
  const byName = username === '' ? undefined : await users.findByName(db, username);
  const byEmail = await users.findByEmail(db, email);
  const isOther = username !== '' && byEmail !== undefined && byName?.id !== byEmail.id;
  if (isOther) throw new AppError('import_two_people', { username, email });
  return byName ?? byEmail;
}

/** What a row would change. Throws the error of the row. */
async function planRow(
  deps: TeamsDeps,
  importer: Importer,
  row: MemberImportRow,
  timeZone: string,
  seen: Seen,
): Promise<Plan> {
  const { db } = deps;
  const team = teamOf(importer);
  const budgets = budgetsOf(row, { team, importer, timeZone, now: seconds(deps.clock) });
  const isOwner = importer.kind === 'owner';
  // The answer to an owner is the same whether a user of that name exists elsewhere.
  const person = await findPerson(db, row).catch((error: unknown) => {
    if (isOwner && error instanceof AppError && error.code === 'import_two_people') return undefined;
    throw error;
  });
  const member = person && (await teamMembers.find(db, team.id, person.id));
  const username = member || !isOwner ? (person?.username ?? nameOf(row)) : row.username || row.email;
  const key = username.toLowerCase();
  if (seen.people.has(key)) throw new AppError('import_repeated', { username });
  seen.people.add(key);
  const plan = {
    row,
    username,
    userId: person?.id ?? 0,
    role: row.role ?? member?.role ?? teamRole.member,
    budgets,
  };
  if (member && person) {
    const rank = isOwner ? importer.membership.member.role : Infinity;
    const isRole = plan.role !== member.role;
    if (isRole && (member.role >= rank || member.role === teamRole.owner))
      throw new AppError('team_rank_protected');
    const missing = [];
    for (const budget of budgets)
      if (!(await hasBudget(db, { ...budget, user_id: person.id }))) missing.push(budget);
    return { ...plan, budgets: missing, outcome: isRole || missing.length > 0 ? 'changed' : 'unchanged' };
  }
  const count = (await teamMembers.counts(db, [team.id])).get(team.id) ?? 0;
  if (isOwner) {
    const open = await teamInvitations.ofTeam(db, team.id, seconds(deps.clock));
    const before = open.find(({ invitee }) => invitee.toLowerCase() === key);
    if (before) {
      const limits = readLimits(before);
      const isIn = ({ name, amount, until }: InvitedLimit): boolean =>
        limits.some((limit) => limit.name === name && limit.amount === amount && limit.until === until);
      const missing = budgets.filter((budget) => !isIn(budget));
      if (missing.length === 0) return { ...plan, outcome: 'unchanged' };
      const others = limits.filter(({ name }) => missing.every((budget) => budget.name !== name));
      const invitation = { id: before.id, limits: [...others, ...missing] };
      return { ...plan, outcome: 'changed', budgets: missing, invitation };
    }
    if (open.length + seen.invited >= maxOpen)
      throw new AppError('invitation_limit_reached', { limit: maxOpen });
    seen.invited += 1;
    return { ...plan, outcome: 'invited' };
  }
  if (count + seen.added >= maxMembers) throw new AppError('team_full', { limit: maxMembers });
  if (!person) {
    if (username.length > maxName) throw new AppError('username_unclear');
    await deps.checkNewName(username);
  }
  seen.added += 1;
  return { ...plan, outcome: person ? 'added' : 'created' };
}

/** Name of a new user: that of the row, or the first part of the address. */
const nameOf = ({ username, email }: MemberImportRow): string => username || (email.split('@', 1)[0] ?? '');

/** The limits of a row as budgets of what the organisation pays. Throws `redemption_expiry_past`. */
function budgetsOf(
  { weekly, grant, grant_until: until }: MemberImportRow,
  {
    team,
    importer,
    timeZone,
    now,
  }: { team: teams.TeamRow; importer: Importer; timeZone: string; now: number },
): Plan['budgets'] {
  const common = {
    team_id: team.id,
    time_zone: timeZone,
    set_by: importer.kind === 'owner' ? ('team' as const) : ('site' as const),
  };
  if (grant !== undefined && until <= now) throw new AppError('redemption_expiry_past');
  return [
    ...(weekly === undefined
      ? []
      : [{ ...common, name: 'weekly' as const, period: 'week' as const, amount: weekly, until: 0 }]),
    ...(grant === undefined
      ? []
      : [{ ...common, name: 'grant' as const, period: 'term' as const, amount: grant, until }]),
  ];
}

/** Writes a row in one transaction. Returns what is shown once: a new user's password, or an invitation's code. */
async function applyRow(
  deps: TeamsDeps,
  importer: Importer,
  { outcome, row, username, userId, role, budgets, invitation: changed }: Plan,
  language: Language,
): Promise<Partial<Pick<MemberImportResult, 'password' | 'code'>>> {
  const team = teamOf(importer);
  if (outcome === 'invited' && importer.kind === 'owner') {
    const invitation = { invitee: username, role, days: invitationDays, limits: budgets };
    const { mayMail, membership } = importer;
    return { code: (await invite(deps, membership, invitation, { mayMail, language })).code };
  }
  const join = async (money: VerbContext, id: number): Promise<void> => {
    const isNew = await setMember(money, team.id, id, role);
    for (const budget of budgets) await setBudget(money, { ...budget, user_id: id });
    // Limits of the row replace defaults of the same name.
    if (isNew) await giveBudgets(money.db, { userId: id, teamId: team.id }, money.at);
  };
  const note = { role, ...Object.fromEntries(budgets.map(({ name, amount }) => [name, amount])) };
  if (changed) {
    const limits = writeLimits(changed.limits);
    const change = async ({ db, at }: VerbContext): Promise<void> => {
      // A person who accepts it meanwhile waits, and gets these limits.
      await teams.findLocked(db, team.id);
      if (!(await teamInvitations.setLimits(db, { id: changed.id, limits }, at)))
        throw new AppError('invitation_not_found');
    };
    await changingTeam(deps, team.id, change, { note: { ...note, invitee: username } });
    return {};
  }
  if (outcome !== 'created') {
    await changingTeam(deps, team.id, (money) => join(money, userId), { userId, note });
    return {};
  }
  const password = randomText(passwordLength);
  const person = { username, password, displayName: row.display_name, email: row.email };
  await deps.createPerson(person, async (money, id) => {
    await join(money, id);
    await deps.audit.record(money.db, {
      target: { type: 'team', id: team.id, name: team.name },
      userId: id,
      note,
    });
  });
  return { password };
}
