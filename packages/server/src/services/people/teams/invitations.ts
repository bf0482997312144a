import {
  AppError,
  fillWords,
  isMailAddress,
  type Language,
  type NewTeamInvitation,
  type OwnInvitationData,
  type TeamInvitationData,
  type TeamRole,
  teamStatus,
  type Words,
} from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { keptLanguage } from '../../../lib/accept-language.ts';
import { sha256 } from '../../../lib/hash.ts';
import { randomText } from '../../../lib/random.ts';
import { dialectOf, teamInvitations, teamMembers, teams, users } from '../../../store/index.ts';
import { giveBudgets, type MemberBudget, setBudget } from '../../money/budgets/index.ts';
import type { VerbContext } from '../../money/ledger/index.ts';
import type { Membership } from './access.ts';
import { changingTeam, type TeamsDeps } from './deps.ts';
import { escapeHtml, type Mail } from '../../site/notify/index.ts';

const texts = {
  subject: {
    zh: '{site}：{inviter} 邀请您加入组织「{team}」',
    en: '{site}: {inviter} invites you to “{team}”',
  },
  text: {
    zh: '您好，{inviter} 邀请您加入{site}的组织「{team}」。\n请打开以下链接查看并接受：{link}\n链接 {days} 天内有效，只能使用一次。任何拿到此链接的人都可以用自己的账户加入，请勿转发。如果您不认识对方，请忽略。',
    en: '{inviter} invites you to join the organisation “{team}” at {site}.\nOpen this link to see and accept it: {link}\nIt is valid for {days} days and works once. Anyone who has the link can join with their own account, so do not pass it on. If you do not know them, ignore this mail.',
  },
} satisfies Record<string, Words>;

/** Values for the placeholders of an invitation mail. */
interface InvitationValues {
  site: string;
  inviter: string;
  team: string;
  link: string;
  days: number;
}

/** Writes an invitation mail in a language, as HTML and as plain text. */
function writeInvitation(to: string, values: InvitationValues, language: Language): Mail {
  const words = { ...values };
  const safe = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, escapeHtml(String(value))]),
  );
  const html = { ...safe, link: `<a href="${safe['link'] ?? ''}">${safe['link'] ?? ''}</a>` };
  const lines = texts.text[language].split('\n');
  return {
    to,
    // A line break in a name must not start another header.
    subject: fillWords(texts.subject[language], words).replace(/[\r\n]+/g, ' '),
    html: lines.map((line) => `<p>${fillWords(line, html)}</p>`).join('\n'),
    text: lines.map((line) => fillWords(line, words)).join('\n\n'),
  };
}

/** Length of a code: 238 random bits. */
const codeLength = 40;
/** Maximum number of open invitations of a team. */
export const maxOpen = 50;
/** Maximum number of members of a team. */
export const maxMembers = 2_000;
const daySeconds = 86_400;

/** The invited user, the role, and the validity. */
export interface InvitationInput {
  /** User name or e-mail address; '' for all holders of the link. */
  invitee: string;
  role: number;
  days: number;
  /** Limits of the person who accepts. */
  limits?: readonly InvitedLimit[];
}

/** A limit that an owner gives with an invitation. */
export interface InvitedLimit extends Pick<MemberBudget, 'period' | 'amount' | 'until' | 'time_zone'> {
  name: 'weekly' | 'grant';
}

/** The limits of a stored invitation. */
export const readLimits = ({ limits }: Pick<teamInvitations.TeamInvitationRow, 'limits'>): InvitedLimit[] =>
  limits === null ? [] : (JSON.parse(limits) as InvitedLimit[]);

/** Limits in the form in which they are stored. */
export const writeLimits = (limits: readonly InvitedLimit[]): string | null =>
  limits.length === 0
    ? null
    : JSON.stringify(
        limits.map(({ name, period, amount, until, time_zone: zone }) => ({
          name,
          period,
          amount,
          until,
          time_zone: zone,
        })),
      );

/**
 * Creates an invitation and returns it with its code, of which only the hash is stored. The inviter cannot see whether
 * a user of the given name exists. `mayMail` is checked before a mail is sent. The mail is in the language of the
 * account with that address, otherwise in the inviter's. Throws `team_rank_protected`, `invitation_limit_reached`.
 */
export async function invite(
  deps: TeamsDeps,
  { team, member }: Membership,
  { invitee, role, days, limits = [] }: InvitationInput,
  { mayMail, language }: { mayMail: () => boolean; language: Language },
): Promise<NewTeamInvitation> {
  if (role >= member.role) throw new AppError('team_rank_protected');
  const code = randomText(codeLength);
  const now = seconds(deps.clock);
  const named =
    invitee === '' || isMailAddress(invitee) ? undefined : await users.findByName(deps.db, invitee);
  const row = {
    team_id: team.id,
    code_hash: sha256(code),
    invitee,
    invitee_id: named?.id ?? 0,
    role,
    inviter_id: member.user_id,
    created_time: now,
    expires_time: now + days * daySeconds,
    limits: writeLimits(limits),
  };
  const create = async ({ db }: VerbContext): Promise<number> => {
    await teamInvitations.removeExpired(db, now);
    const open = await teamInvitations.ofTeam(db, team.id, now);
    if (open.length >= maxOpen) throw new AppError('invitation_limit_reached', { limit: maxOpen });
    return teamInvitations.create(db, row);
  };
  const note = Object.fromEntries(limits.map(({ name, amount }) => [name, amount]));
  const id = await changingTeam(
    deps,
    team.id,
    create,
    limits.length === 0 ? {} : { note: { ...note, invitee } },
  );
  const names = await users.findNames(deps.db, [member.user_id]);
  const inviterName = names.get(member.user_id) ?? '';
  if (isMailAddress(invitee) && mayMail()) {
    const reader = await users.findByEmail(deps.db, invitee);
    const values = { ...row, code, inviterName, days };
    sendLink(deps, team.name, values, keptLanguage(reader?.setting ?? '') ?? language);
  }
  deps.log.info({ actorId: member.user_id, teamId: team.id, invitation: id }, 'somebody was invited');
  return {
    id,
    invitee,
    role,
    inviter_name: inviterName,
    created_time: now,
    expires_time: row.expires_time,
    limits: readLimits(row),
    code,
  };
}

/** Sends the link by mail, if the site sends mails and has an address for the link. */
function sendLink(
  { settings, mail }: TeamsDeps,
  team: string,
  { invitee, code, inviterName, days }: { invitee: string; code: string; inviterName: string; days: number },
  language: Language,
): void {
  const address = settings.get('ServerAddress');
  if (address === '' || !mail.isConfigured()) return;
  const link = `${address}/organisations/join#${code}`;
  const values = { site: settings.get('SystemName'), inviter: inviterName, team, link, days };
  mail.send(writeInvitation(invitee, values, language));
}

/** The open invitations of a team. */
export async function listInvitations(
  { db, clock }: TeamsDeps,
  { team }: Membership,
): Promise<TeamInvitationData[]> {
  const rows = await teamInvitations.ofTeam(db, team.id, seconds(clock));
  const names = await users.findNames(
    db,
    rows.map((row) => row.inviter_id),
  );
  return rows.map((row) => ({
    id: row.id,
    invitee: row.invitee,
    role: row.role,
    inviter_name: names.get(row.inviter_id) ?? '',
    created_time: row.created_time,
    expires_time: row.expires_time,
    limits: readLimits(row),
  }));
}

export async function withdrawInvitation(
  deps: TeamsDeps,
  { team }: Membership,
  invitation: number,
): Promise<void> {
  if (!(await teamInvitations.withdraw(deps.db, team.id, invitation)))
    throw new AppError('invitation_not_found');
}

/** The identifier of an invitation: the id for one that names a user, the code for any. */
export interface WhichInvitation {
  invitation?: number | undefined;
  code: string;
}

/** True if the holder of an invitation's code may use it. */
const isFor = ({ invitee, invitee_id: named }: teamInvitations.TeamInvitationRow, userId: number): boolean =>
  invitee === '' || isMailAddress(invitee) || named === userId;

/**
 * Whether the inviter could still create this invitation. Otherwise a removed or demoted manager could return, or add
 * others, with an earlier link.
 */
async function isStanding(
  db: TeamsDeps['db'],
  { team_id: teamId, inviter_id: inviterId, role }: teamInvitations.TeamInvitationRow,
): Promise<boolean> {
  const inviter = await teamMembers.find(db, teamId, inviterId);
  return inviter !== undefined && role < inviter.role;
}

/** The invitation that a user may accept. Throws `invitation_not_found` for every reason. */
async function findFor(
  { db, clock }: TeamsDeps,
  userId: number,
  { invitation, code }: WhichInvitation,
): Promise<teamInvitations.TeamInvitationRow> {
  const now = seconds(clock);
  const row =
    invitation === undefined
      ? await teamInvitations.findByCode(db, sha256(code), now)
      : await teamInvitations.find(db, invitation, now);
  const isTheirs = row && (invitation === undefined ? isFor(row, userId) : row.invitee_id === userId);
  if (!isTheirs || !(await isStanding(db, row))) throw new AppError('invitation_not_found');
  return row;
}

async function show(
  { db }: TeamsDeps,
  rows: readonly teamInvitations.TeamInvitationRow[],
): Promise<OwnInvitationData[]> {
  const found = await teams.findMany(
    db,
    rows.map((row) => row.team_id),
  );
  const names = await users.findNames(
    db,
    rows.map((row) => row.inviter_id),
  );
  return rows.flatMap((row) => {
    const team = found.find(({ id }) => id === row.team_id);
    if (!team) return [];
    const { id, role, expires_time } = row;
    return { id, team_name: team.name, role, inviter_name: names.get(row.inviter_id) ?? '', expires_time };
  });
}

/** The open invitations for a user. */
export async function ownInvitations(deps: TeamsDeps, userId: number): Promise<OwnInvitationData[]> {
  const rows = await teamInvitations.forInvitee(deps.db, userId, seconds(deps.clock));
  const standing = await Promise.all(rows.map((row) => isStanding(deps.db, row)));
  return show(
    deps,
    rows.filter((_, index) => standing[index]),
  );
}

/** The invitation of a link's code. */
export async function lookAtInvitation(
  deps: TeamsDeps,
  userId: number,
  code: string,
): Promise<OwnInvitationData> {
  const [shown] = await show(deps, [await findFor(deps, userId, { code })]);
  if (!shown) throw new AppError('invitation_not_found');
  return shown;
}

/**
 * Adds a user to a team, once per invitation, also with concurrent attempts. A former member gets their earlier usage
 * back. Returns the team's id. Throws `invitation_not_found`, `already_team_member`, `team_full`, `team_is_banned`.
 */
export async function acceptInvitation(
  deps: TeamsDeps,
  userId: number,
  which: WhichInvitation,
): Promise<number> {
  const invitation = await findFor(deps, userId, which);
  const { team_id: teamId, role } = invitation;
  const hasBudgets = await refusingTwice(deps, () =>
    changingTeam(deps, teamId, async (money) => {
      const { db, at } = money;
      const team = await teams.findLocked(db, teamId);
      if (team?.status !== teamStatus.enabled || !(await isStanding(db, invitation)))
        throw new AppError('invitation_not_found');
      const before = await teamMembers.findEver(db, teamId, userId);
      if (before?.left_time === null) throw new AppError('already_team_member');
      const inTeam = (await teamMembers.counts(db, [teamId])).get(teamId) ?? 0;
      if (inTeam >= maxMembers) throw new AppError('team_full', { limit: maxMembers });
      // Its limits may have changed since it was found; the team is locked now.
      const current = await teamInvitations.find(db, invitation.id, at);
      if (!current || !(await teamInvitations.use(db, invitation.id)))
        throw new AppError('invitation_not_found');
      if (before) await teamMembers.update(db, before.id, { role, joined_time: at, left_time: null });
      else await teamMembers.create(db, { team_id: teamId, user_id: userId, role, joined_time: at });
      const isLimited = await giveLimits(money, { userId, teamId }, readLimits(current));
      // Limits of the invitation replace defaults of the same name.
      return (await giveBudgets(db, { userId, teamId }, at)) || isLimited;
    }),
  );
  if (hasBudgets) await deps.budgetsChanged();
  deps.log.info({ userId, teamId, role: role as TeamRole }, 'somebody joined a team');
  return teamId;
}

/**
 * Sets the limits of an invitation for its new member, in the transaction that uses it. What an administrator has set for a
 * former member stays, and a term that is over limits nothing. True if there are limits.
 */
async function giveLimits(
  money: VerbContext,
  { userId, teamId }: { userId: number; teamId: number },
  limits: readonly InvitedLimit[],
): Promise<boolean> {
  for (const limit of limits) {
    if (limit.period === 'term' && limit.until <= money.at) continue;
    try {
      await setBudget(money, { ...limit, team_id: teamId, user_id: userId, set_by: 'team' });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'insufficient_role') throw error;
    }
  }
  return limits.length > 0;
}

/** Two invitations accepted at once: the database allows one membership. */
async function refusingTwice<T>({ db }: TeamsDeps, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (dialectOf(db).isUniqueViolation(error)) throw new AppError('already_team_member', {}, error);
    throw error;
  }
}

/** Uses up an invitation without joining. */
export async function declineInvitation(
  deps: TeamsDeps,
  userId: number,
  which: WhichInvitation,
): Promise<void> {
  const { id } = await findFor(deps, userId, which);
  if (!(await teamInvitations.use(deps.db, id))) throw new AppError('invitation_not_found');
}
