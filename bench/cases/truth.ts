import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** A gateway that bills, as its callers see it. */
export interface Site {
  readonly name: string;
  /** Prefix of `/v1/chat/completions`. */
  readonly url: string;
  readonly model: string;
  /** A key that can pay for everything. */
  readonly key: string;
  /** Charges of the key's owner so far, in the site's own unit; undefined if unknown. */
  spent(): Promise<number | undefined>;
  /** Creates a key with a balance limited to a sum in that unit; undefined if the site has none. */
  poorKey(sum: number): Promise<string | undefined>;
  /** Kills it with SIGKILL; resolves when it answers again. */
  kill(): Promise<void>;
}

/** Tokens of each answer; the input counts as 20, more than any gateway would guess. */
const length = 100;
const words = ['one', 'two', 'red', 'sea', 'sun', 'day', 'top', 'way'];

/** An upstream of the chat protocol: sends `max_tokens` words, and counts the sent words of each call. */
export class CountingUpstream {
  /** Sent words, by the call's name in its text. */
  readonly sent = new Map<string, number>();
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch(() => response.destroy());
  });

  async listen(port: number): Promise<number> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await text(request)) || '{}') as {
      model?: string;
      stream?: boolean;
      max_tokens?: number;
      messages?: unknown[];
    };
    const name = /call-\w+/.exec(JSON.stringify(body.messages ?? ''))?.[0] ?? '';
    const count = body.max_tokens ?? length;
    const usage = { prompt_tokens: 20, completion_tokens: count, total_tokens: 20 + count };
    const head = { id: `chatcmpl-${name}`, created: Math.floor(Date.now() / 1_000), model: body.model };
    const wordAt = (index: number) => ` ${words[index % words.length]}`;
    if (!body.stream) {
      const content = Array.from({ length: count }, (_, index) => wordAt(index)).join('');
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
      this.sent.set(name, count);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (part: object) =>
      response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...part })}\n\n`);
    for (let index = 0; index < count; index += 1) {
      if (response.destroyed) return;
      this.sent.set(name, index + 1);
      send({ choices: [{ index: 0, delta: { content: wordAt(index) }, finish_reason: null }] });
      await sleep(20);
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    send({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  }
}

interface Received {
  name: string;
  end: 'whole' | 'refused' | 'broken';
  /** Received words. */
  words: number;
}

let calls = 0;

/** Makes one call and reads it to its end. */
async function call(site: Site, key: string, stream: boolean, count = length): Promise<Received> {
  calls += 1;
  const name = `call-${process.pid}x${calls}`;
  let heard = '';
  try {
    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: site.model,
        max_tokens: count,
        messages: [{ role: 'user', content: name }],
        ...(stream && { stream, stream_options: { include_usage: true } }),
      }),
    });
    if (!answer.ok) {
      await answer.body?.cancel();
      return { name, end: 'refused', words: 0 };
    }
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) heard += decoder.decode(piece, { stream: true });
  } catch {
    return { name, end: 'broken', words: wordsIn(heard) };
  }
  const isWhole = !stream || (heard.includes('data: [DONE]') && wordsIn(heard) === count);
  return { name, end: isWhole ? 'whole' : 'broken', words: wordsIn(heard) };
}

const wordsIn = (heard: string): number =>
  heard.match(new RegExp(` (?:${words.join('|')})\\b`, 'g'))?.length ?? 0;

/** Waits until the charge has not changed for some seconds, because a site may settle late, or after a restart. */
async function settled(site: Site, quietSeconds: number): Promise<number | undefined> {
  let last = await site.spent();
  for (let quiet = 0; last !== undefined && quiet < quietSeconds;) {
    await sleep(500);
    const now = await site.spent();
    quiet = now === last ? quiet + 0.5 : 0;
    last = now;
  }
  return last;
}

/** The charge of a whole answer, and of one with a single word; undefined if unknown. */
async function readPrice(site: Site, quietSeconds: number) {
  const charged: number[] = [];
  for (const count of [length, 1]) {
    const before = await settled(site, quietSeconds);
    const { end } = await call(site, site.key, true, count);
    if (end !== 'whole') throw new Error(`${site.name} did not answer a call: ${end}`);
    const after = await settled(site, quietSeconds);
    if (before === undefined || after === undefined) return undefined;
    charged.push(after - before);
  }
  const [whole = 0, single = 0] = charged;
  if (whole <= 0) throw new Error(`${site.name} charges nothing for ${site.model}: give the model a price`);
  /** The charge of an answer that was cut off. */
  const of = (count: number) => (count === 0 ? 0 : single + ((whole - single) * (count - 1)) / (length - 1));
  return { whole, of };
}

export interface Truth {
  name: string;
  /** The charge of one call in the site's unit. */
  price: number | undefined;
  /** By form of the calls: completely answered calls, and everything delivered, in calls. */
  overspend: { stream: boolean; calls: number; answered: number; delivered: number }[];
  kill:
    | {
        kills: number;
        whole: number;
        broken: number;
        /** In calls: completely delivered but not charged, and charged but never sent by the upstream. */
        lost: number;
        invented: number;
        /** Charged share of the part that arrived before the cut. */
        share: number;
      }
    | undefined;
}

export interface Sizes {
  calls: number;
  streams: number;
  kills: number;
  quietSeconds: number;
}

const balance = 10;

/** Sends all calls at once on a balance for ten, then one after the other until the first is refused. */
async function overspend(site: Site, price: Price, stream: boolean, many: number) {
  const key = await site.poorKey(price.whole * balance);
  if (key === undefined) return [];
  const received = await Promise.all(Array.from({ length: many }, () => call(site, key, stream)));
  for (let more = 0; more < 2 * balance; more += 1) {
    const next = await call(site, key, stream);
    received.push(next);
    if (next.end === 'refused') break;
  }
  const answered = received.filter(({ end }) => end === 'whole').length;
  const delivered = received.reduce((sum, each) => sum + price.of(each.words), 0) / price.whole;
  return [{ stream, calls: received.length, answered, delivered }];
}

type Price = NonNullable<Awaited<ReturnType<typeof readPrice>>>;

/** Kills the site during many streams, and compares the charges with the counts of clients and upstream. */
async function killUnderLoad(site: Site, upstream: CountingUpstream, price: Price, sizes: Sizes) {
  const sum = { kills: sizes.kills, whole: 0, broken: 0, lost: 0, invented: 0, share: 0 };
  let cut = { charged: 0, arrived: 0 };
  for (let kill = 0; kill < sizes.kills; kill += 1) {
    const before = (await settled(site, sizes.quietSeconds)) ?? 0;
    let over = 0;
    const streams = Array.from({ length: sizes.streams }, async (_, index) => {
      await sleep((index * 3_000) / sizes.streams);
      return call(site, site.key, true).finally(() => (over += 1));
    });
    while (over < sizes.streams / 4) await sleep(20);
    await site.kill();
    const received = await Promise.all(streams);
    const charged = ((await settled(site, sizes.quietSeconds)) ?? 0) - before;
    const whole = received.filter(({ end }) => end === 'whole').length;
    const broken = received.filter(({ end }) => end === 'broken');
    const sent = broken.reduce((all, { name }) => all + price.of(upstream.sent.get(name) ?? 0), 0);
    const arrived = broken.reduce((all, each) => all + price.of(each.words), 0);
    const due = whole * price.whole;
    sum.whole += whole;
    sum.broken += broken.length;
    sum.lost += Math.max(0, due - charged) / price.whole;
    // Each charge is rounded separately.
    sum.invented += Math.max(0, charged - due - sent - broken.length) / price.whole;
    cut = { charged: cut.charged + Math.max(0, charged - due), arrived: cut.arrived + arrived };
  }
  return { ...sum, share: cut.arrived === 0 ? 1 : cut.charged / cut.arrived };
}

/** Measures one site; unknown figures are left out. */
export async function measureTruth(site: Site, upstream: CountingUpstream, sizes: Sizes): Promise<Truth> {
  const price = await readPrice(site, sizes.quietSeconds);
  if (!price) return { name: site.name, price: undefined, overspend: [], kill: undefined };
  const kept = [];
  for (const stream of [false, true]) kept.push(...(await overspend(site, price, stream, sizes.calls)));
  const kill = await killUnderLoad(site, upstream, price, sizes);
  return { name: site.name, price: price.whole, overspend: kept, kill };
}

/** Faults in a site's books, as sentences; none if its promises hold. */
export function faultsOf({ overspend: bursts, kill }: Truth): string[] {
  const spent = bursts
    .filter(({ answered, delivered }) => answered > balance || delivered > balance * 1.01)
    .map(
      ({ stream, delivered }) =>
        `${stream ? 'streams' : 'calls'} on a balance for ${balance} delivered ${delivered.toFixed(1)}`,
    );
  if (!kill) return spent;
  const lost =
    kill.lost > 0.01 ? [`${kill.lost.toFixed(1)} whole answers were not charged after a kill`] : [];
  const invented = kill.invented > 0.01 ? [`${kill.invented.toFixed(1)} answers too many were charged`] : [];
  return [...spent, ...lost, ...invented];
}

/** Comparison of the sites as a Markdown table. */
export function truthTable(truths: readonly Truth[]): string {
  const burst = (stream: boolean, value: (one: Truth['overspend'][number]) => string) => (truth: Truth) => {
    const found = truth.overspend.find((each) => each.stream === stream);
    return found ? value(found) : '–';
  };
  const killed = (value: (kill: NonNullable<Truth['kill']>) => string) => (truth: Truth) =>
    truth.kill ? value(truth.kill) : '–';
  const rows: [string, (truth: Truth) => string][] = [
    [
      'Calls on a balance for ten, most at once: answered',
      burst(false, (one) => `${one.answered} of ${one.calls}`),
    ],
    ['Streams likewise: answered whole', burst(true, (one) => `${one.answered} of ${one.calls}`)],
    ['… delivered, in answers', burst(true, (one) => one.delivered.toFixed(1))],
    ['kill -9 under streams: times', killed((kill) => String(kill.kills))],
    ['… answers that arrived whole, cut off', killed((kill) => `${kill.whole}, ${kill.broken}`)],
    ['… whole but not charged, in answers', killed((kill) => kill.lost.toFixed(1))],
    ['… charged but never sent, in answers', killed((kill) => kill.invented.toFixed(1))],
    ['… charged of what arrived before the cut', killed((kill) => `${(kill.share * 100).toFixed(0)} %`)],
  ];
  const lines = [
    ['', ...truths.map(({ name }) => name)],
    ['---', ...truths.map(() => '---:')],
    ...rows.map(([title, cell]) => [title, ...truths.map(cell)]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
