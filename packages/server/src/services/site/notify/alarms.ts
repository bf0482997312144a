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
import type { Sealer } from '../../../lib/seal.ts';
import { type OpenPlace, readPlaces } from './alarm-places.ts';
import { alarmCall, type AlarmMessage, refusedBy } from './alarm-services.ts';
import type { Mailer } from './mailer.ts';
import { escapeHtml } from './templates.ts';

/** Subject of an alarm. Its texts are shown to people and must contain no secrets. */
export interface AlarmSubject {
  /** Id of a channel, or of a budget with the start of its window; '' for the whole site. */
  subject: string;
  name: string;
  /** A figure or a reason. */
  detail: string;
}

/**
 * Alarms of operators. One runs for each cause and subject until it ends. Its begin and its end are delivered at least
 * once by mail and to each service that was set up when it began. Each way has a delivery row of its own, so a crash
 * repeats a delivery and loses none, and a way that fails delays no other.
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
  /** Delivers a test by every way, and returns the result of each ('' on success). */
  test(): Promise<{ way: string; name: string; failure: string }[]>;
}

interface AlarmDeps {
  db: Db;
  /** Opens the secrets of services. */
  sealer: Sealer;
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

/** A way of delivery: mail, or a service. */
interface Way {
  /** `mail`, or the id of the service. */
  way: string;
  name: string;
  send: (message: AlarmMessage) => Promise<void>;
}

export function createAlarms(deps: AlarmDeps): Alarms {
  const { db, clock, log } = deps;
  const now = (): number => seconds(clock);
  const quietly = (work: Promise<void>, cause: string): void =>
    void work.catch((error: unknown) => log.warn({ err: error, cause }, 'an alarm could not be stored'));
  const begin = async (cause: AlarmCause, { subject, name, detail }: AlarmSubject): Promise<void> =>
    alarmRows.begin(
      db,
      { cause, subject: subject.slice(0, 64), name: name.slice(0, 255), detail: detail.slice(0, 1_000) },
      (await readWays(deps)).map(({ way }) => way),
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
      const ways = await readWays(deps);
      // Alarms of a time without mail are not sent later.
      if (!ways.some(({ way }) => way === mailWay)) await alarmRows.dropWay(db, mailWay);
      if (isQuiet(deps)) return;
      await Promise.all(ways.map((way) => deliverDue(deps, way)));
      await alarmRows.removeBefore(db, now() - keptSeconds);
    },
    async test() {
      const message = testMessage(deps);
      const ways = await readWays(deps);
      return Promise.all(
        ways.map(async ({ way, name, send }) => ({ way, name, failure: await readFailure(send(message)) })),
      );
    },
  };
}

const mailWay = 'mail';

/** The ways that are set up. */
async function readWays(deps: AlarmDeps): Promise<Way[]> {
  const { settings, mailer } = deps;
  const to = settings.get('AlarmMail');
  const mail: Way = {
    way: mailWay,
    name: to,
    send: ({ title: subject, text }) =>
      mailer.send({ to, subject, text, html: `<p>${escapeHtml(text)}</p>` }),
  };
  const posts = (await readPlaces(deps)).map((place): Way => ({
    way: String(place.id),
    name: place.name || place.service,
    send: (message) => post(deps, place, message),
  }));
  return [...(to === '' ? [] : [mail]), ...posts];
}

async function deliverDue(deps: AlarmDeps, way: Way): Promise<void> {
  for (const row of await alarmRows.due(deps.db, way.way, seconds(deps.clock), mostDue))
    await deliverOne(deps, row, way);
}

/** Takes an attempt, then sends. If the process dies in between, the next attempt sends the message. */
async function deliverOne(deps: AlarmDeps, row: alarmRows.DeliveryRow, { name, send }: Way): Promise<void> {
  const { db, clock, log } = deps;
  const { tries } = row;
  const until = seconds(clock) + (pauses[tries] ?? laterPause);
  if (!(await alarmRows.claim(db, row, until))) return;
  const isBegin = row.told === alarmRows.told.nothing;
  // A period that ends, or a further share, is no news.
  if (!isBegin && row.cause === 'budget_share') return alarmRows.noteTold(db, row);
  const failure = await readFailure(send(messageOf(deps, row, isBegin ? 'begun' : 'ended')));
  if (failure === '') return alarmRows.noteTold(db, row);
  const about = { cause: row.cause, subject: row.subject, by: name, tries: tries + 1, reason: failure };
  if (tries + 1 < mostTries) return log.info(about, 'an alarm will be sent again');
  log.warn(about, 'an alarm could not be delivered');
  await alarmRows.noteTold(db, row);
}

/** Resolves to '' or to the reason of the failure, without an address: addresses contain secrets. */
const readFailure = (sending: Promise<void>): Promise<string> =>
  sending.then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 300),
  );

async function post({ http, clock }: AlarmDeps, place: OpenPlace, message: AlarmMessage): Promise<void> {
  const { service } = place;
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
