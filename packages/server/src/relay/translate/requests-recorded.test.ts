import { describe, expect, test } from 'vitest';
import { haveRecordings, recordedStreams } from '../../testing/protocols/recordings.ts';
import { essence } from '../../testing/protocols/request-essence.ts';
import { chat, claude, translated } from '../../testing/protocols/translate-request.ts';
import { callerProtocol } from '../protocols.ts';
import type { ProtocolId } from '../types/index.ts';
import { isObject } from '../../lib/json.ts';

describe.skipIf(!haveRecordings)('recorded requests (skipped without the recordings)', () => {
  const requests = (protocol: string) =>
    (haveRecordings ? recordedStreams(protocol) : []).flatMap(({ file, request }) =>
      isObject(request) &&
      Array.isArray(request.messages) &&
      !callerProtocol(protocol as ProtocolId)!.inbound.readFacts(request, { byteLength: 0, charLength: 0 })
        .hostedTools
        ? [[file, request] as const]
        : [],
    );

  test.each(requests('openai-chat'))(
    '%s, translated to Messages and back, is the same request',
    (_file, request) => {
      const there = translated(chat, claude, request).body;
      expect(essence(claude.readRequest!(there))).toEqual(essence(chat.readRequest!(request)));
      const back = translated(claude, chat, there).body;
      expect(essence(chat.readRequest!(back))).toEqual(essence(chat.readRequest!(request)));
    },
  );

  test.each(requests('anthropic-messages'))(
    '%s, translated to chat and back, is the same request',
    (_file, request) => {
      const there = translated(claude, chat, request);
      expect(essence(chat.readRequest!(there.body))).toEqual(essence(claude.readRequest!(request)));
      const back = translated(chat, claude, there.body).body;
      expect(essence(claude.readRequest!(back))).toEqual(essence(claude.readRequest!(request)));
    },
  );
});
