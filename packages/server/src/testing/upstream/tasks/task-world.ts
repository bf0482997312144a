import type { Clock } from '../../../lib/clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../gateway-harness.ts';
import { pollTasks } from '../../poll-tasks.ts';
import { type FakeTasks, startFakeTasks } from './fake-tasks.ts';

/** An answer to a call about tasks. */
interface TaskAnswer {
  status: number;
  body: JsonObject;
}

/** A gateway with a drawing and a song channel, and a user with access to them. */
export interface TaskWorld {
  gate: GatewayHarness;
  vendor: FakeTasks;
  caller: TestCaller;
  drawing: number;
  music: number;
  call(path: string, body?: JsonObject, key?: string): Promise<TaskAnswer>;
  /** Sets the vendor's status of its newest task, then polls every task. */
  report(update: JsonObject): Promise<void>;
  /** Polls every open task. */
  poll(): Promise<void>;
  close(): Promise<void>;
}

/** Opens it on SQLite, by default with the machine's clock. */
export async function openTaskWorld(env: Record<string, string> = {}, clock?: Clock): Promise<TaskWorld> {
  const gate = await openGateway(env, {}, clock);
  const vendor = await startFakeTasks();
  const drawing = await gate.addChannel({
    type: 5,
    base_url: vendor.url,
    key: 'mj-secret',
    models:
      'mj_imagine,mj_upscale,mj_variation,mj_reroll,mj_describe,mj_blend,mj_shorten,mj_modal,mj_inpaint,mj_upload,swap_face',
  });
  const music = await gate.addChannel({
    type: 36,
    base_url: vendor.url,
    key: 'suno-secret',
    models: 'suno_music,suno_lyrics',
  });
  const caller = await gate.addCaller({ balance: 1_000_000, allowance: 900_000 });
  const poll = () => pollTasks(gate);
  return {
    gate,
    vendor,
    caller,
    drawing,
    music,
    async call(path, body, key = caller.key) {
      const answer = await fetch(gate.url + path, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as JsonObject };
    },
    async report(update) {
      const id = [...vendor.tasks.keys()].at(-1) ?? '';
      vendor.tasks.set(id, { ...vendor.tasks.get(id), ...update });
      await poll();
    },
    poll,
    async close() {
      await gate.close();
      await vendor.close();
    },
  };
}
