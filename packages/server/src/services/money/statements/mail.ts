import {
  accountTable,
  AppError,
  csvLine,
  csvStart,
  exactMoney,
  product,
  sheetAmounts,
  teamRole,
  userStatus,
  type Words,
} from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { faultPoint } from '../../../lib/fault-point.ts';
import type { Log } from '../../../lib/log.ts';
import { writePdf } from '../../../lib/pdf/pdf.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type Db, statementMails, teamMembers, teams, users } from '../../../store/index.ts';
import {
  escapeHtml,
  isPermanentFailure,
  isRefusedForNow,
  type Mail,
  type Mailer,
  preferencesOf,
} from '../../site/notify/index.ts';
import { type Settings, siteLanguage } from '../../site/settings/index.ts';
import { statementPaper } from './paper.ts';
import { monthText, readStatement, statementLines, type Wallet } from './statement.ts';
import { monthAt, readSums } from './sums.ts';

/** Seconds after the end of a month before its statement is mailed: calls of its last seconds are settled by then. */
const restSeconds = 3_600;
/** In every time zone, a moment within the month that begins at a moment in any other. */
const intoMonth = 27 * 3_600;
const mailsAtOnce = 200;
/** Seconds for which a process has a statement to write and send: far longer than it takes. */
const claimSeconds = 3_600;

export interface StatementMailDeps {
  db: Db;
  reports: Db;
  settings: Pick<Settings, 'get'>;
  sealer: Sealer;
  mailer: Pick<Mailer, 'configured' | 'send'>;
  clock: Clock;
  log: Log;
}

const texts = {
  subject: { zh: '{site}：{holder} {month} 的账单', en: '{site}: statement of {holder} for {month}' },
  attached: {
    zh: '附件：账单（PDF）和全部账目（CSV）。',
    en: 'Attached are the statement (PDF) and all movements (CSV).',
  },
  page: { zh: '网页版：', en: 'On the web: ' },
} satisfies Record<string, Words>;

type User = NonNullable<Awaited<ReturnType<typeof users.find>>>;

/** Where mails to a user go: the address for notices, or that of the account; '' for none. */
function addressOf(sealer: Sealer, user: User): string {
  const { destination } = preferencesOf(sealer, user);
  return destination.kind === 'email' ? destination.to : user.email;
}

/** Turns the monthly mail of a wallet on or off. Throws `statement_no_address` and `smtp_not_configured`. */
export async function setStatementMail(
  deps: Pick<StatementMailDeps, 'settings' | 'sealer' | 'mailer' | 'clock'>,
  db: Db,
  { accountId, owner }: Wallet,
  { userId, on }: { userId: number; on: boolean },
): Promise<void> {
  const receiver = { account_id: accountId, user_id: userId };
  if (!on) return statementMails.stop(db, receiver);
  const user = await users.find(db, userId);
  if (!user || addressOf(deps.sealer, user) === '') throw new AppError('statement_no_address');
  if (!deps.mailer.configured()) throw new AppError('smtp_not_configured');
  const { start } = monthAt(deps.settings.get('AlarmTimeZone'), seconds(deps.clock));
  const teamId = 'teamId' in owner ? owner.teamId : 0;
  await statementMails.start(db, { ...receiver, team_id: teamId, mailed_until: start });
}

/**
 * Mails the statements of months that have ended. A process claims each before it sends it and marks it afterwards: a
 * second mail is sent only if the process dies between sending and marking. The claim ends at once if the mail server
 * is away. A mail that it refuses for now is tried again once its claim has ended, and the others do not wait for it.
 */
export async function mailStatements(deps: StatementMailDeps): Promise<void> {
  const { db, settings, mailer, clock, log } = deps;
  if (!mailer.configured()) return;
  const now = seconds(clock) - restSeconds;
  const { start } = monthAt(settings.get('AlarmTimeZone'), now);
  for (const mail of await statementMails.due(db, start, seconds(clock), mailsAtOnce)) {
    const receiver = await findReceiver(deps, mail);
    if (!receiver) {
      await statementMails.stop(db, mail);
      continue;
    }
    const month = await nextMonth(deps, mail);
    if (month.end > now) continue;
    const claimed = await statementMails.claim(db, mail, seconds(clock) + claimSeconds);
    if (!claimed) continue;
    faultPoint('statement-claimed');
    try {
      await mailer.send(await writeMail(deps, receiver, month.text));
    } catch (error) {
      log.warn({ err: error, userId: mail.user_id }, 'a statement could not be mailed');
      if (isRefusedForNow(error)) continue;
      if (!isPermanentFailure(error)) return statementMails.end(db, claimed, mail.mailed_until);
    }
    await statementMails.end(db, claimed, month.end);
  }
}

async function nextMonth(
  { reports, settings }: StatementMailDeps,
  mail: statementMails.StatementMail,
): Promise<{ end: number; text: string }> {
  const within = mail.mailed_until + intoMonth;
  const { timeZone } = await readSums({ reports, settings }, mail.account_id, () => 0);
  return { end: monthAt(timeZone, within).end, text: monthText(timeZone, within) };
}

interface Receiver {
  user: User;
  wallet: Wallet;
}

/** The receiver with the wallet; undefined if the person is gone, or no longer manages the team. */
async function findReceiver(
  { db }: StatementMailDeps,
  { account_id: accountId, user_id: userId, team_id: teamId }: statementMails.StatementMail,
): Promise<Receiver | undefined> {
  const user = await users.find(db, userId);
  if (!user || user.status !== userStatus.enabled) return undefined;
  if (teamId === 0) return { user, wallet: { accountId, name: user.username, owner: { userId } } };
  const team = await teams.find(db, teamId);
  const member = await teamMembers.find(db, teamId, userId);
  if (!team || !member || member.role < teamRole.manager) return undefined;
  return { user, wallet: { accountId, name: team.name, owner: { teamId } } };
}

async function writeMail(deps: StatementMailDeps, { user, wallet }: Receiver, month: string): Promise<Mail> {
  const { settings, sealer } = deps;
  const language = preferencesOf(sealer, user).language ?? siteLanguage(settings) ?? 'zh';
  const statement = await readStatement(deps, wallet, month);
  let csv = csvStart;
  for await (const line of statementLines(deps, wallet.accountId, statement)) csv += csvLine(line);
  const perUnit = settings.get('QuotaPerUnit');
  const site = settings.get('SystemName');
  const about = { site, perUnit, timeZone: statement.time_zone, language, now: seconds(deps.clock) };
  const pdf = await writePdf(statementPaper(statement, about));
  if (!pdf) throw new Error('too many documents are being written');
  const account = accountTable(statement, { language, isNow: false });
  const money = exactMoney(sheetAmounts([account]), perUnit);
  const lines = account.lines.map(({ name, amount }): [string, string] => [name, money(amount)]);
  const link = linkTo(settings.get('ServerAddress'), wallet, month);
  const more = [texts.attached[language], ...(link === '' ? [] : [texts.page[language] + link])];
  const values: Record<string, string> = { site, holder: wallet.name, month };
  const subject = texts.subject[language].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  const rows = lines.map(
    ([name, amount]) => `<tr><td>${escapeHtml(name)}</td><td align="right">${escapeHtml(amount)}</td></tr>`,
  );
  return {
    to: addressOf(sealer, user),
    subject,
    html: `<p>${escapeHtml(subject)}</p><table>${rows.join('')}</table><p>${more.map(escapeHtml).join('<br/>')}</p>`,
    text: [subject, '', ...lines.map(([name, amount]) => `${name}: ${amount}`), '', ...more].join('\n'),
    files: [
      { name: `${product.id}-statement-${month}.pdf`, type: 'application/pdf', content: pdf },
      { name: `${product.id}-statement-${month}.csv`, type: 'text/csv', content: csv },
    ],
  };
}

/** Address of a statement's page; '' if the site's address is not set. */
function linkTo(site: string, { owner }: Wallet, month: string): string {
  if (site === '') return '';
  return `${site}/statement?month=${month}${'teamId' in owner ? `&team=${owner.teamId}` : ''}`;
}
