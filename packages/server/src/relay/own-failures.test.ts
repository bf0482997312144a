import { describe, expect, it } from 'vitest';
import { type JsonObject, objectOf, objectsIn, parseObject } from '../lib/json.ts';
import { providerOf } from './registry.ts';

// Vendors with their own formats report failures as codes inside a success. Each code in their documents for chats
// maps to a status, which decides the party at fault, the retry on another channel and the disabling of this channel.

interface Vendor {
  type: number;
  report: (code: number | string) => JsonObject;
  /** Content-Type of its streams. */
  streams: string;
  statuses: Readonly<Record<number, readonly (number | string)[]>>;
}

const vendors: Record<string, Vendor> = {
  'Baidu’s first API': {
    type: 15,
    report: (code) => ({ error_code: code, error_msg: 'why' }),
    streams: 'text/event-stream',
    statuses: {
      400: [100, 336_001, 336_002, 336_003, 336_006, 336_007, 336_103, 336_104],
      401: [6, 13, 14, 15, 110, 111, 336_004],
      404: [3],
      429: [4, 17, 18, 19, 336_100, 336_501, 336_502],
      502: [1, 2, 336_000],
    },
  },
  'Zhipu’s third API': {
    type: 16,
    report: (code) => ({ code, msg: 'why', success: false }),
    streams: 'text/event-stream',
    statuses: {
      400: [1210, 1212, 1213, 1214, 1215, 1300, 1301],
      401: [1000, 1001, 1002, 1003, 1004, 1110, 1111, 1112, 1121],
      402: [1113],
      403: [1220],
      404: [1211, 1221, 1222],
      429: [1302, 1303, 1304, 1305],
      502: [500, 1120, 1230, 1234],
    },
  },
  Spark: {
    type: 18,
    report: (code) => ({ header: { code, message: 'why', sid: 's', status: 2 } }),
    streams: 'application/x-ndjson',
    statuses: {
      400: [10_003, 10_004, 10_005, 10_013, 10_014, 10_019, 10_163, 10_907, 11_501],
      401: [11_500],
      403: [10_015, 10_016, 11_200],
      429: [10_006, 10_007, 11_201, 11_202, 11_203],
      502: [10_000, 10_001, 10_002, 10_009, 10_010, 10_011, 10_012, 10_222],
      503: [10_008, 10_110],
    },
  },
  Hunyuan: {
    type: 23,
    report: (code) => ({ Response: { Error: { Code: code, Message: 'why' }, RequestId: 'r' } }),
    streams: 'text/event-stream',
    statuses: {
      400: [
        'InvalidParameter',
        'InvalidParameterValue',
        'InvalidParameterValue.ParameterValueError',
        'MissingParameter',
        'UnknownParameter',
        'OperationDenied.TextIllegalDetected',
      ],
      401: ['AuthFailure.SignatureFailure', 'UnauthorizedOperation', 'FailedOperation.UserUnAuthError'],
      402: [
        'FailedOperation.FreeResourcePackExhausted',
        'FailedOperation.ResourcePackExhausted',
        'FailedOperation.ServiceNotActivated',
        'FailedOperation.ServiceStop',
        'FailedOperation.ServiceStopArrears',
        'ResourceInsufficient.ChargeResourceExhaust',
        'ResourceUnavailable.InArrears',
        'ResourceUnavailable.LowBalance',
        'ResourceUnavailable.NotExist',
        'ResourceUnavailable.StopUsing',
      ],
      404: ['InvalidParameterValue.Model', 'ResourceNotFound'],
      429: ['LimitExceeded', 'RequestLimitExceeded', 'FailedOperation.EngineServerLimitExceeded'],
      502: ['InternalError', 'FailedOperation', 'FailedOperation.EngineServerError'],
      504: ['FailedOperation.EngineRequestTimeout'],
    },
  },
};

const chatsOf = (type: number) => providerOf(type)!.endpoints['openai-chat']!;

describe.each(Object.entries(vendors))('%s', (_name, { type, report, streams, statuses }) => {
  it.each(Object.entries(statuses))('fails with %s by the codes %j', (status, codes) => {
    const failed = codes.map((code) => {
      const { error } = written(JSON.stringify(report(code)));
      return [code, objectOf(error).status, objectOf(error).type === 'insufficient_quota'];
    });
    // An account without money disables its channel.
    expect(failed).toEqual(codes.map((code) => [code, Number(status), status === '402']));
  });

  /** First chunk of a stream with a failure. */
  function written(text: string): JsonObject {
    const asked = { model: 'm', requestId: 'r', startedSeconds: 0 };
    const bytes = streams === 'application/x-ndjson' ? `${text}\n` : `event: error\ndata: ${text}\n\n`;
    const chunk = chatsOf(type).unframe!(streams, [], asked)!.push(Buffer.from(bytes));
    return parseObject(chunk!.toString().slice('data: '.length)) ?? {};
  }
});

it.each(Object.entries(vendors).filter(([, { type }]) => chatsOf(type).rewrite))(
  '%s fails alike where no stream was requested',
  (_name, { type, report, statuses }) => {
    for (const [status, codes] of Object.entries(statuses)) {
      const { error } = chatsOf(type).rewrite!(report(codes[0]!), {}, 0);
      expect(error).toMatchObject({ status: Number(status) });
    }
  },
);

describe('repeated fields of a stream are passed on once', () => {
  // Clients concatenate the pieces of a field: a role or a name that occurs twice would become an unknown value.
  const piece = (fields: JsonObject) => ({ Choices: [{ Index: 0, FinishReason: '', Delta: fields }] });
  const call = (Arguments: string, Index = 0) => ({
    Id: `call_${Index}`,
    Type: 'function',
    Index,
    Function: { Name: 'weather', Arguments },
  });
  const read = (events: JsonObject[]) => {
    const unframer = chatsOf(23).unframe!('text/event-stream', [], {
      model: 'm',
      requestId: 'r',
      startedSeconds: 0,
    })!;
    const bytes = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const chunks = unframer.push(Buffer.from(bytes))!.toString().trim().split('\n\n');
    return chunks.map(
      (chunk) => objectOf(objectsIn(parseObject(chunk.slice('data: '.length))?.choices)[0]).delta,
    );
  };

  it('the role by Hunyuan', () => {
    const text = (Content: string) => piece({ Role: 'assistant', Content });
    expect(read([text('It '), text('is '), text('mild.')])).toEqual([
      { role: 'assistant', content: 'It ' },
      { content: 'is ' },
      { content: 'mild.' },
    ]);
  });

  it('ids and names of calls by Hunyuan', () => {
    const called = (...ToolCalls: JsonObject[]) => piece({ Role: 'assistant', Content: '', ToolCalls });
    const head = (index: number, input: string) => ({
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name: 'weather', arguments: input },
    });
    const rest = (index: number, input: string) => ({ index, function: { arguments: input } });
    expect(
      read([called(call('{"a"')), called(call(':1}'), call('{"b"', 1)), called(call(':2}', 1))]),
    ).toEqual([
      { role: 'assistant', tool_calls: [head(0, '{"a"')] },
      { tool_calls: [rest(0, ':1}'), head(1, '{"b"')] },
      { tool_calls: [rest(1, ':2}')] },
    ]);
  });
});
