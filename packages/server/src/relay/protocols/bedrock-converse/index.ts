import { AwsUnframer, isAwsStream, readAwsError, sseEvent } from '../../families/amazon/index.ts';
import { maxImageTokens } from '../../families/openai/index.ts';
import { fileAddresses } from '../../conversation/index.ts';
import { unsupportedPassing } from '../../streams/index.ts';
import type { Unframer, UpstreamProtocol } from '../../types/index.ts';
import { ConverseReader } from './read.ts';
import { readConverseAnswer } from './read-answer.ts';
import { writeConverseRequest } from './write-request.ts';

/** The frames of ConverseStream as server-sent events: the type of the event is its name, the body its data. */
export const openConverseFrames = (contentType: string, secrets: readonly string[]): Unframer | undefined =>
  isAwsStream(contentType) ? new AwsUnframer(sseEvent, secrets) : undefined;

/** Amazon Bedrock's Converse, one protocol for the models of many vendors. Callers cannot use it. */
export const bedrockConverse: UpstreamProtocol = {
  id: 'bedrock-converse',
  outbound: {
    id: 'bedrock-converse',
    openPipe: unsupportedPassing('bedrock-converse'),
    readError: readAwsError,
  },
  codec: {
    functionName: /^[\w-]{1,64}$/,
    toolObjects: [['output', 'message', 'content', '*', 'toolUse', 'input']],
    // Models of many vendors: the table with the largest numbers is used.
    media: {
      marks: [Buffer.from('"image"')],
      measure: ({ source }) => (source.kind === 'data' ? { imageTokens: maxImageTokens(source.base64) } : {}),
    },
    openReader: () => new ConverseReader(),
    readAnswer: readConverseAnswer,
    writeRequest: writeConverseRequest,
    // Converse accepts files as data only.
    filesNeeded: (request) => fileAddresses(request, ['image', 'file']),
  },
};
