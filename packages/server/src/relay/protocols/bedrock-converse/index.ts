import { readAwsError } from '../../model/aws/errors.ts';
import { fileAddresses } from '../../model/files.ts';
import { neverPassed } from '../../model/passing/never-passed.ts';
import type { UpstreamProtocol } from '../../model/protocol.ts';
import { ConverseReader } from './read.ts';
import { readConverseAnswer } from './read-answer.ts';
import { writeConverseRequest } from './write-request.ts';

export { openConverseFrames } from './frames.ts';

/** Amazon Bedrock's Converse, one language for the models of many vendors. No caller speaks it. */
export const bedrockConverse: UpstreamProtocol = {
  id: 'bedrock-converse',
  outbound: {
    id: 'bedrock-converse',
    openPipe: neverPassed('bedrock-converse'),
    readError: readAwsError,
  },
  codec: {
    openReader: () => new ConverseReader(),
    readAnswer: readConverseAnswer,
    writeRequest: writeConverseRequest,
    // Converse takes files as data alone.
    filesNeeded: (request) => fileAddresses(request, ['image', 'file']),
  },
};
