import {
  type Alarm,
  alarmCauses,
  type AlarmCause,
  alarmWords,
  fillWords,
  isAlarmCause,
  type Language,
} from '@tollgate/contract';
import { wallTime } from '../../../lib/calendar-windows.ts';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Http } from '../../../lib/outbound/http.ts';
import { alarms as alarmRows, type Db } from '../../../store/index.ts';
import type { Settings } from '../settings/index.ts';
import { alarmCall, type AlarmMessage, refusedBy } from './alarm-services.ts';
import type { Mailer } from './mailer.ts';
import { escapeHtml } from './templates.ts';

/** Subject of an alarm. Its texts are shown to people and must contain no secrets. */
export interface AlarmSubject {
  /** Id of a channel or budget; '' for the whole site. */
  subject: string;
  name: string;
  /** A figure or a reason. */
  detail: string;
}

/**
 * Alarms of operators. One runs for each cause and subject until it ends. Its begin and its end are delivered at least
 * once by mail and to the service of the settings. A row stores what was delivered, so a crash repeats a delivery and
 * loses none.
 */
export interface Alarms {
  /** Begins an alarm; does nothing if it runs already. Never throws; callers need not wait. */
  raise(cause: AlarmCause, about: AlarmSubject): void;
  /** Ends an alarm; does nothing if none runs. Never throws. */
  end(cause: AlarmCause, subject: string): void;
  /** Takes all current problems of some causes: begins new alarms, and ends those without a problem. */
  sync(found: Partial<Record<AlarmCause, readonly AlarmSubject[]>>): Promise<void>;
  current(): Promise<Alarm[]>;
  /** Delivers messages that are due; only one process takes an attempt. */
  deliver(): Promise<void>;
  /** Delivers a test by every configured method, and returns the result of each ('' on success). */
  test(): Promise<{ way: alarmRows.AlarmWay; failure: string }[]>;
}

interface AlarmDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  mailer: Pick<Mailer, 'send'>;
  /** Root chose the service, so it may be in a private network. */
  http: Pick<Http, 'request'>;
  clock: Clock;
  log: Log;
}

/** Maximum number of alarms that are shown, compared and delivered at once. */
const mostRunning = 500;
const mostDue = 20;
/** Seconds before the next attempt, by the number of attempts; then an hour each. After a day the message is dropped. */
const pauses = [30, 60, 300, 900];
const laterPause = 3_600;
const mostTries = 28;
const timeoutMs = 10_000;
const maxAnswerBytes = 65_536;
const keptSeconds = 30 * 86_400;
const ways = ['mail', 'post'] as const;

export function createAlarms(deps: AlarmDeps): Alarms {
  const { db, clock, log } = deps;
  const now = (): number => seconds(clock);
  const quietly = (work: Promise<void>, cause: string): void =>
    void work.catch((error: unknown) => log.warn({ err: error, cause }, 'an alarm could not be stored'));
  const begin = (cause: AlarmCause, { subject, name, detail }: AlarmSubject): Promise<void> =>
    alarmRows.begin(
      db,
      { cause, subject: subject.slice(0, 64), name: name.slice(0, 255), detail: detail.slice(0, 1_000) },
      now(),
    );

  return {
    raise: (cause, about) => quietly(begin(cause, about), cause),
    end: (cause, subject) => quietly(alarmRows.end(db, { cause, subject }, now()), cause),
    async sync(found) {
      const running = await alarmRows.running(db, mostRunning);
      for (const cause of alarmCauses) {
        const subjects = found[cause];
        if (!subjects) continue;
        const known = running.filter((row) => row.cause === cause);
        for (const about of subjects)
          if (!known.some(({ subject }) => subject === about.subject)) await begin(cause, about);
        for (const row of known)
          if (!subjects.some(({ subject }) => subject === row.subject)) await alarmRows.end(db, row, now());
      }
    },
    async current() {
      const rows = await alarmRows.running(db, mostRunning);
      return rows.flatMap(({ cause, ...row }) => (isAlarmCause(cause) ? { ...row, cause } : []));
    },
    async deliver() {
      if (isQuiet(deps)) return;
      for (const way of ways)
        for (const row of await alarmRows.due(db, way, now(), mostDue)) await deliverOne(deps, row, way);
      await alarmRows.removeBefore(db, now() - keptSeconds);
    },
    async test() {
      const message = testMessage(deps);
      const set = ways.filter((way) => isSetUp(deps, way));
      return Promise.all(
        set.map(async (way) => ({ way, failure: await readFailure(send(deps, way, message)) })),
      );
    },
  };
}

/** Takes an attempt, then sends. If the process dies in between, the next attempt sends the message. */
async function deliverOne(deps: AlarmDeps, row: alarmRows.AlarmRow, way: alarmRows.AlarmWay): Promise<void> {
  const { db, clock, log } = deps;
  if (!isSetUp(deps, way)) return alarmRows.noteTold(db, row, way);
  const tries = row[`${way}_tries`];
  const until = seconds(clock) + (pauses[tries] ?? laterPause);
  if (!(await alarmRows.claim(db, row, way, until))) return;
  const isBegin = row[`${way}_told`] === alarmRows.told.nothing;
  const failure = await readFailure(send(deps, way, messageOf(deps, row, isBegin ? 'begun' : 'ended')));
  if (failure === '') return alarmRows.noteTold(db, row, way);
  const about = { cause: row.cause, subject: row.subject, by: way, tries: tries + 1, reason: failure };
  if (tries + 1 < mostTries) return log.info(about, 'an alarm will be sent again');
  log.warn(about, 'an alarm could not be delivered');
  await alarmRows.noteTold(db, row, way);
}

const isSetUp = ({ settings }: AlarmDeps, way: alarmRows.AlarmWay): boolean =>
  way === 'mail' ? settings.get('AlarmMail') !== '' : settings.get('AlarmService') !== 'none';

/** Resolves to '' or to the reason of the failure, without an address: addresses contain secrets. */
const readFailure = (sending: Promise<void>): Promise<string> =>
  sending.then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 300),
  );

async function send(deps: AlarmDeps, way: alarmRows.AlarmWay, message: AlarmMessage): Promise<void> {
  const { settings, mailer, http, clock } = deps;
  if (way === 'mail')
    return mailer.send({
      to: settings.get('AlarmMail'),
      subject: message.title,
      text: message.text,
      html: `<p>${escapeHtml(message.text)}</p>`,
    });
  const service = settings.get('AlarmService');
  if (service === 'none') return;
  const place = {
    address: settings.get('AlarmAddress').trim(),
    secret: settings.get('AlarmSecret'),
    receiver: settings.get('AlarmReceiver'),
  };
  const { status, body } = await request(http, () => alarmCall(service, message, place, clock()));
  const refused = refusedBy(service, status, body.toString());
  if (refused !== undefined) throw new Error(refused);
}

function request(http: AlarmDeps['http'], write: () => ReturnType<typeof alarmCall>) {
  let call: ReturnType<typeof alarmCall>;
  try {
    call = write();
    new URL(call.url);
  } catch {
    throw new Error('the address of the service is not valid');
  }
  return http.request(
    {
      method: 'POST',
      url: call.url,
      headers: call.headers,
      body: Buffer.from(call.body),
      scope: 'operator',
      headersTimeoutMs: timeoutMs,
      bodyTimeoutMs: timeoutMs,
    },
    maxAnswerBytes,
    AbortSignal.timeout(timeoutMs),
  );
}

/** True within the quiet hours of the settings, which may span midnight. */
function isQuiet({ settings, clock }: AlarmDeps): boolean {
  const [from, to] = [settings.get('AlarmQuietFrom'), settings.get('AlarmQuietTo')];
  if (from === to) return false;
  const hour = Number(wallTime(settings.get('AlarmTimeZone'), seconds(clock)).slice(11, 13));
  return from < to ? hour >= from && hour < to : hour >= from || hour < to;
}

const texts = {
  begun: { zh: '[{site}] 告警', en: '[{site}] Alarm' },
  ended: { zh: '[{site}] 告警已解除', en: '[{site}] Alarm ended' },
  test: { zh: '[{site}] 测试告警', en: '[{site}] Test alarm' },
  over: { zh: '已解除：{text}', en: 'Over: {text}' },
  testText: { zh: '告警可以送达这里。', en: 'Alarms arrive here.' },
} as const;

const languageOf = (settings: AlarmDeps['settings']): Language => {
  const chosen = settings.get('DefaultLanguage');
  return chosen === 'auto' ? 'zh' : chosen;
};

function messageOf(deps: AlarmDeps, row: alarmRows.AlarmRow, event: 'begun' | 'ended'): AlarmMessage {
  const { cause, subject, name, detail, since } = row;
  const language = languageOf(deps.settings);
  const words = isAlarmCause(cause) ? alarmWords[cause][language] : '{name} {detail}';
  const text = fillWords(words, { name, detail }, language);
  return {
    id: `${cause}-${subject}-${since}-${event}`,
    event,
    cause,
    subject,
    name,
    title: fillWords(texts[event][language], { site: deps.settings.get('SystemName') }),
    text: event === 'begun' ? text : fillWords(texts.over[language], { text }),
    since,
    ended: event === 'ended' ? row.ended : 0,
  };
}

function testMessage({ settings, clock }: AlarmDeps): AlarmMessage {
  const language = languageOf(settings);
  const at = seconds(clock);
  return {
    id: `test-${at}`,
    event: 'test',
    cause: 'test',
    subject: '',
    name: '',
    title: fillWords(texts.test[language], { site: settings.get('SystemName') }),
    text: texts.testText[language],
    since: at,
    ended: 0,
  };
}
