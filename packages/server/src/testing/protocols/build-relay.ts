import { readBoundary, scanForm } from '../../lib/form.ts';
import {
  type Channel,
  type ChannelSetting,
  type WriterOptions,
  type AnswerPipe,
  type ProtocolId,
  type RelayOptions,
  type RelayRequest,
  unsavedChannel,
} from '../../relay/types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { callerProtocol } from '../../relay/protocols.ts';
import { field, file, writeForm } from './forms.ts';

/** A channel in the relay's format, with simple defaults. */
export function buildChannel(
  fields: Partial<Omit<Channel, 'setting'>> & { setting?: Partial<ChannelSetting> } = {},
): Channel {
  const { setting, ...rest } = fields;
  const channel = unsavedChannel({
    id: 1,
    name: 'test',
    type: 1,
    key: 'test-channel-key',
    baseUrl: 'https://upstream.test',
    autoBan: true,
    createdTime: 1_780_000_000,
    ...rest,
  });
  return { ...channel, setting: { ...channel.setting, ...setting } };
}

/**
 * A caller's request with the facts that its protocol reads from it. `fromPath` are the facts in the path, for protocols
 * without a model in the body.
 */
export function buildRequest(
  protocol: ProtocolId,
  body: JsonObject | string,
  fromPath: JsonObject = {},
): RelayRequest {
  const raw = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const text = raw.toString();
  const json = { ...(JSON.parse(text) as JsonObject), ...fromPath };
  const facts = callerProtocol(protocol)!.inbound.readFacts(json, {
    byteLength: raw.length,
    charLength: text.length,
  });
  return {
    protocol,
    requestId: 'test-request',
    startedSeconds: 1_780_000_000,
    path: '/test',
    query: '',
    contentType: 'application/json',
    accept: '',
    headers: {},
    raw,
    json,
    facts,
  };
}

/** A caller's transcription request, as a multipart form. */
export function buildTranscription(sound: Buffer): RelayRequest {
  const { body: raw, contentType } = writeForm([field('model', 'm'), file('file', 'a.wav', sound)]);
  const json = { model: 'm' };
  const files = [{ name: 'file', fileName: 'a.wav', type: 'audio/wav', sizeBytes: sound.length, seconds: 1 }];
  const facts = callerProtocol('openai-audio')!.inbound.readFacts(json, {
    byteLength: raw.length,
    charLength: raw.length,
    files,
  });
  return {
    ...buildRequest('openai-audio', { model: 'm', input: 'hi' }),
    path: '/v1/audio/transcriptions',
    contentType,
    raw,
    json,
    form: { scan: scanForm(raw, readBoundary(contentType)), files },
    facts,
  };
}

/** Options of a writer, with fallback values for an answer without an id. */
export const writerOptions = (showUsage = true, request: JsonObject = {}): WriterOptions => ({
  showUsage,
  request,
  fallback: { requestId: 'test-request', model: 'm', createdSeconds: 1_780_000_000 },
});

/** Relay options of a new site. */
export const relayOptions: RelayOptions = {
  forceStreamUsage: true,
  passThroughBody: false,
  azureApiVersion: '2025-04-01-preview',
  geminiMaxImages: 16,
  settings: {},
};

/** Passes an answer through a pipe; returns its output and its end. */
export function feed(pipe: AnswerPipe, pieces: Iterable<Buffer>, broken = false) {
  const passed: Buffer[] = [];
  for (const piece of pieces) {
    const out = pipe.push(piece);
    if (out) passed.push(out);
  }
  const end = pipe.end(broken);
  return { passed: Buffer.concat(passed), end, text: pipe.takeText() };
}
