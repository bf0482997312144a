import {
  anthropicErrorType,
  googleErrorStatus,
  type RelayErrorEntry,
  type RelayErrorName,
  relayErrors,
} from '@tollgate/contract/relay-errors';
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectOf, objectsIn } from '../lib/json.ts';
import { callerProtocol, protocols } from './protocols.ts';
import { localErrorType, type ProtocolId, RelayError, tableError, upstreamErrorType } from './types/index.ts';

const requestId = 'request-1';
const chinese = /\p{Script=Han}/u;
const entries = Object.entries(relayErrors) as [RelayErrorName, RelayErrorEntry][];
const callers = (Object.keys(protocols) as ProtocolId[]).flatMap((id) => callerProtocol(id) ?? []);

/** Values for every slot of an entry: the names of the slots, so that an unfilled slot is visible. */
function valuesOf({ zh, en }: RelayErrorEntry): Record<string, string> {
  const slots = [...`${zh}${en}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return Object.fromEntries(slots.map((name) => [name, `[${name}]`]));
}

/** The parts of an error that a protocol's clients read: its message, its code and its type. */
function readBack(id: ProtocolId, body: JsonObject): JsonObject {
  const error = objectOf(body['error']);
  if (id === 'anthropic-messages') {
    return {
      message: error['message'] ?? '',
      type: error['type'] ?? '',
      requestId: body['request_id'] ?? '',
    };
  }
  if (id.startsWith('gemini')) {
    const [detail] = objectsIn(error['details']);
    return { message: error['message'] ?? '', code: detail?.['reason'] ?? '', type: error['status'] ?? '' };
  }
  return { message: error['message'] ?? '', code: error['code'] ?? '', type: error['type'] ?? '' };
}

/** The expected result, without the message. */
function expected(id: ProtocolId, name: RelayErrorName, entry: RelayErrorEntry): JsonObject {
  const type = typeOf(id, entry);
  return id === 'anthropic-messages' ? { type, requestId } : { type, code: entry.code ?? name };
}

/** The type that a protocol uses for an entry. */
function typeOf(id: ProtocolId, { status, blame, type, isBilling }: RelayErrorEntry): string {
  if (id === 'anthropic-messages') return isBilling ? 'billing_error' : anthropicErrorType(status, type);
  if (id.startsWith('gemini')) return isBilling ? 'RESOURCE_EXHAUSTED' : googleErrorStatus(status);
  return type ?? (blame === 'channel' ? upstreamErrorType : localErrorType);
}

describe.each(callers)('every error of the table, as written by $id', ({ id, inbound }) => {
  it.each(['zh', 'en'] as const)('in %s', (language) => {
    for (const [name, entry] of entries) {
      const error = tableError(name, valuesOf(entry)).in(language);
      const { status, body } = inbound.writeError(error, requestId);
      const whole = JSON.parse(body) as JsonObject;
      const { message, ...rest } = readBack(id, whole);
      expect(status, name).toBe(entry.status);
      expect(rest, name).toEqual(expected(id, name, entry));
      expect(message, name).toMatch(/ \(request id: request-1\)$/);
      expect(typeof message === 'string' && chinese.test(message), name).toBe(language === 'zh');
      expect(message, name).not.toMatch(/[{}]|undefined/);
      // The same object within a stream, as an event of the protocol.
      const event = inbound.writeStreamError(error, requestId).toString();
      const data = /^data: (.*?)\r?$/m.exec(event)?.[1];
      // Responses has an event with these fields at its top level.
      const isResponses = id === 'openai-responses' || id === 'openai-compact';
      const reported = isResponses ? { type: 'error', message, code: rest['code'] } : whole;
      expect(JSON.parse(data!), name).toMatchObject(reported);
    }
  });

  it("keep an upstream's message in whatever language it is", () => {
    const error = new RelayError({ status: 400, code: 'x', message: 'modèle inconnu', blame: 'caller' });
    expect(error.in('zh')).toBe(error);
  });
});
