import { logType } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import { signed } from '../../../relay/providers/jimeng/sign.ts';
import { jimengKey } from '../../../testing/upstream/videos/fake-jimeng.ts';
import { videoBytes } from '../../../testing/upstream/videos/far-side.ts';
import { type Vendor, vendors } from '../../../testing/upstream/videos/vendors.ts';
import {
  type Guest,
  openVendorsWorld,
  secondUnits,
  type VendorsWorld,
} from '../../../testing/upstream/videos/vendors-world.ts';
import { onePoint } from '../../../testing/wire/video-tests.ts';
import type { RecordedRequest } from '../../../testing/upstream/fake-upstream.ts';

// Each simulated vendor refuses the same requests as the real one, so a finished video proves a correct request.

let world: VendorsWorld;
beforeAll(async () => {
  world = await openVendorsWorld();
});
afterAll(() => world.close());

const begin = (guest: Guest, { model, seconds, size }: Vendor, more: JsonObject = {}) =>
  guest.ask('/v1/videos', {
    model,
    prompt: 'a cat',
    seconds: String(seconds),
    ...(size !== undefined && { size }),
    ...more,
  });

describe.each(vendors)('a video of $name', (vendor) => {
  const { seconds, reason } = vendor;

  afterAll(async () => {
    expect(await world.gate.findings()).toEqual([]);
    expect(await world.gate.openHolds()).toBe(0);
  });

  it('is accepted, polled until it is finished, and streamed', async () => {
    const guest = await world.enter();
    const made = await begin(guest, vendor);
    expect(made).toMatchObject({ status: 200, body: { status: 'queued', seconds: String(seconds) } });
    const { jobs } = world.sideOf(vendor);
    expect(jobs.newest).toMatchObject({ model: vendor.model, seconds });
    expect(await guest.spent()).toBe(seconds * secondUnits);
    const at = `/v1/videos/${textOf(made.body.id)}`;
    jobs.newest.state = 'running';
    await world.poll();
    expect((await guest.ask(at)).body).toMatchObject({ status: 'in_progress' });
    expect(await guest.fetch(`${at}/content`)).toMatchObject({ status: 409 });
    jobs.newest.state = 'done';
    await world.poll();
    expect((await guest.ask(at)).body).toMatchObject({ status: 'completed', progress: 100 });
    const whole = await guest.fetch(`${at}/content`);
    expect(whole).toEqual({ status: 200, text: videoBytes.toString(), type: 'video/mp4' });
    const part = await guest.fetch(`${at}/content`, 'bytes=2-5');
    expect([part.status, part.text]).toEqual([206, videoBytes.subarray(2, 6).toString()]);
    expect(await guest.spent()).toBe(seconds * secondUnits);
  });

  it('that begins with a picture is sent with its bytes, and polled where it was submitted', async () => {
    const guest = await world.enter();
    const data = `data:image/png;base64,${onePoint}`;
    const made = await begin(guest, vendor, { image: data });
    expect(made).toMatchObject({ status: 200 });
    const { newest } = world.sideOf(vendor).jobs;
    expect(newest.picture).toBe(vendor.picture === 'base64' ? onePoint : data);
    newest.state = 'done';
    await world.poll();
    const read = await guest.ask(`/v1/videos/${textOf(made.body.id)}`);
    expect(read.body).toMatchObject({ status: 'completed' });
  });

  it('that fails shows the vendor’s reason, and is given back once', async () => {
    const guest = await world.enter();
    const made = await begin(guest, vendor);
    expect(await guest.spent()).toBe(seconds * secondUnits);
    world.sideOf(vendor).jobs.newest.state = 'failed';
    await world.poll();
    await world.poll();
    const read = await guest.ask(`/v1/videos/${textOf(made.body.id)}`);
    expect(read.body).toMatchObject({ status: 'failed', error: { message: reason } });
    expect(await guest.spent()).toBe(0);
    await world.gate.core.ledger.flush();
    const rows = await world.gate.core.store.db
      .selectFrom('logs')
      .select(['type', 'quota'])
      .where('user_id', '=', guest.caller.userId)
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { type: logType.consume, quota: seconds * secondUnits },
      { type: logType.refund, quota: seconds * secondUnits },
    ]);
  });

  it('is not made for an unknown key, and costs nothing', async () => {
    const guest = await world.enter('strange');
    const { jobs, requests } = world.sideOf(vendor);
    const before = [jobs.all.length, requests.length] as const;
    const made = await begin(guest, vendor);
    expect(made.status).toBeGreaterThanOrEqual(400);
    expect(jobs.all).toHaveLength(before[0]);
    expect(requests.length).toBeGreaterThan(before[1]);
    expect(await guest.spent()).toBe(0);
  });

  it('is refused without a key, at another path, and without its required fields', async () => {
    const side = world.sideOf(vendor);
    const asked = side.requests.find(({ method, path }) => method === 'POST' && path !== '/token')!;
    const before = side.jobs.all.length;
    const { authorization: _key, 'x-goog-api-key': _word, ...unknown } = headersOf(asked);
    const answers = [
      await send(vendor, asked, { headers: unknown }),
      await send(vendor, asked, { path: `/other${asked.path}` }),
      await send(vendor, asked, { body: without(asked.json() as JsonObject, vendor.needs) }),
    ];
    for (const answer of answers) expect(isRefused(answer), JSON.stringify(answer)).toBe(true);
    expect(side.jobs.all).toHaveLength(before);
    // The same request without changes is accepted.
    expect(isRefused(await send(vendor, asked, {}))).toBe(false);
    expect(side.jobs.all).toHaveLength(before + 1);
  });
});

it('a video in a bucket is fetched from Cloud Storage by its object name', () => {
  expect(world.storage.asked).toContain('storage.googleapis.com:443');
});

type Answer = { status: number; body: JsonObject };

/** MiniMax refuses with status 200 and an error number. */
const isRefused = ({ status, body }: Answer): boolean =>
  status >= 400 || Number(objectOf(body.base_resp).status_code ?? 0) !== 0;

const headersOf = ({ headers }: RecordedRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name)
        ? [[name, value]]
        : [],
    ),
  );

/** Sends a request of the gateway once more to the vendor itself, with a change. */
async function send(
  vendor: Vendor,
  asked: RecordedRequest,
  change: { path?: string; headers?: Record<string, string>; body?: JsonObject },
): Promise<Answer> {
  const { url } = world.sideOf(vendor);
  const question = {
    method: 'POST' as const,
    url: url + (change.path ?? asked.path),
    headers: change.headers ?? headersOf(asked),
    body: change.body ? Buffer.from(JSON.stringify(change.body)) : asked.body,
  };
  // A changed signed request is signed again.
  const isSigned = vendor.type === 51 && change.headers === undefined;
  const channel = { key: jimengKey } as Parameters<typeof signed>[1];
  const { headers } = isSigned ? signed(question, channel, { nowMs: Date.now }) : question;
  const answer = await fetch(question.url, { method: 'POST', headers, body: new Uint8Array(question.body) });
  return { status: answer.status, body: (await answer.json()) as JsonObject };
}

/** A copy without the member at a path. */
function without(body: JsonObject, path: readonly (string | number)[]): JsonObject {
  const copy = structuredClone(body);
  const parent = path.slice(0, -1).reduce<Json>((at, name) => (at as JsonObject)[name] ?? null, copy);
  delete (parent as JsonObject)[path.at(-1) ?? ''];
  return copy;
}
