import { RealtimeClient, type RealtimeEvent, Refused } from '../realtime-client.ts';
import type { CampaignCall, CallRecord } from './calls.ts';
import { promptOf } from './world.ts';

/** Number of responses in one session. */
const responses = 3;

/**
 * Opens a realtime session and requests a few responses, one after the other. Each is a call of its own in the books,
 * named after the session and its number, and has its own record.
 */
export async function talk(call: Omit<CampaignCall, 'agent'>): Promise<CallRecord[]> {
  const { index, model, script, caller } = call;
  const record = (fields: Partial<CallRecord>): CallRecord => ({
    kind: 'voice',
    caller: index,
    model,
    stream: true,
    script,
    requestId: '',
    status: 0,
    end: 'unreached',
    startedAt: 0,
    waitedMs: 0,
    cost: undefined,
    replayed: false,
    bytes: 0,
    body: '',
    ...fields,
  });
  let session = '';
  const headers = { authorization: `Bearer ${caller.key}`, ...call.headers };
  try {
    const url = `${call.url.replace('http', 'ws')}/v1/realtime?model=${model}`;
    const client = await RealtimeClient.open(url, { headers }, (answer) => {
      session = String(answer['x-tollgate-request-id']);
    });
    const records: CallRecord[] = [];
    for (let number = 1; number <= responses && client.ws.readyState === client.ws.OPEN; number += 1) {
      const { status, end } = await respond(client, call);
      records.push(record({ requestId: `${session}-${number}`, status, end }));
    }
    client.ws.close();
    await client.closed;
    return records;
  } catch (error) {
    return [error instanceof Refused ? record({ status: error.status, end: 'refused' }) : record({})];
  }
}

/** Requests a response and waits for its end, or leaves in the middle of it. */
async function respond(
  client: RealtimeClient,
  { script, hangUpAfter }: Pick<CampaignCall, 'script' | 'hangUpAfter'>,
): Promise<Pick<CallRecord, 'status' | 'end'>> {
  let status = 0;
  let pieces = 0;
  client.send({ type: 'response.create', response: { instructions: promptOf(script) } });
  for await (const event of client.follow()) {
    if (event.type === 'response.created') status = 200;
    if (event.type === 'response.done') return { status, end: 'whole' };
    // An error before the first part means that the response did not start; its session is over.
    if (event.type === 'error') return { status, end: status === 200 ? 'failed' : 'refused' };
    if (isPiece(event) && ++pieces === hangUpAfter) {
      client.ws.terminate();
      return { status, end: 'hung-up' };
    }
  }
  return { status, end: 'broken' };
}

const isPiece = ({ type }: RealtimeEvent): boolean => type === 'response.output_text.delta';
