import { finishedAnswer, wantsData, withData, whoAsks } from '../../provider-kit/index.ts';
import { type Channel, type SendTools, type UpstreamCall, RelayError, refuse } from '../../types/index.ts';
import { objectOf, objectsIn, textOf, type JsonObject, parseObject } from '../../../lib/json.ts';
import { joinUrl } from '../../families/openai/index.ts';
import { failureIn, statusOf } from './errors.ts';

/** The interval of polls for a task, and its longest duration (docs/compatibility.md#channel-types). */
const everyMs = 3_000;
const maxPolls = 20;
/** The longest total time, including slow answers to the polls. */
const maxWaitMs = 120_000;
/** A failed poll is repeated: the image may be made and paid for. */
const maxFailures = 3;

interface Answer {
  status: number;
  body: Buffer;
}

/**
 * Submits a task for images and polls it until it is done; the resulting call already has its answer. If the caller
 * disconnects meanwhile, the waiting ends, and so does a task that has not begun. Throws RelayError if the task cannot
 * be polled or takes too long.
 */
export async function waitForImages(
  call: UpstreamCall,
  channel: Channel,
  tools: SendTools,
): Promise<UpstreamCall> {
  const { url, headers, body } = call;
  const submitted = await tools.ask({ method: 'POST', url, headers, body });
  const id = submitted.status < 300 ? textOf(outputOf(submitted).task_id) : '';
  if (id === '') return answered(call, submitted);
  const task = new Task(`${joinUrl(channel, '/api/v1/tasks')}/${encodeURIComponent(id)}`, channel, tools);
  const done = await task.done();
  return answered(call, wantsData(call) && done.status === 200 ? await fetched(done, tools) : done);
}

/** The call with its answer; a failure has the status of its code. */
function answered(call: UpstreamCall, { status, body }: Answer): UpstreamCall {
  const answer = parseObject(body) ?? {};
  const hasFailed = status < 300 && objectOf(answer.output).task_status !== 'SUCCEEDED';
  const shown = hasFailed ? statusOf(textOf(failureIn(answer).code)) : status;
  return { ...call, local: finishedAnswer(body, shown) };
}

const outputOf = ({ body }: Answer): JsonObject => objectOf(parseObject(body)?.output);

/** The answer with its images as data. */
async function fetched({ status, body }: Answer, tools: SendTools): Promise<Answer> {
  const answer = parseObject(body) ?? {};
  const output = objectOf(answer.output);
  const results = await withData(objectsIn(output.results), 'b64_image', tools);
  return { status, body: Buffer.from(JSON.stringify({ ...answer, output: { ...output, results } })) };
}

/** A task that runs at the vendor. */
class Task {
  private readonly url: string;
  private readonly headers: Record<string, string>;
  private readonly tools: SendTools;

  constructor(url: string, channel: Channel, tools: SendTools) {
    this.url = url;
    this.headers = whoAsks(channel);
    this.tools = tools;
  }

  /** The answer of an ended task. */
  async done(): Promise<Answer> {
    try {
      return await this.poll();
    } catch (error) {
      this.cancel();
      throw error;
    }
  }

  private async poll(): Promise<Answer> {
    const { tools } = this;
    const until = tools.nowMs() + maxWaitMs;
    let failures = 0;
    for (let polls = 0; polls < maxPolls && tools.nowMs() < until; polls += 1) {
      await tools.sleep(everyMs);
      const answer = await this.ask();
      if (answer && hasEnded(answer)) return answer;
      failures = answer ? 0 : failures + 1;
      if (failures === maxFailures) throw lost();
    }
    throw tooLong();
  }

  /** The task's state; undefined without one, which a later poll may have. */
  private async ask(): Promise<Answer | undefined> {
    const { url, headers } = this;
    try {
      const answer = await this.tools.ask({ method: 'GET', url, headers });
      return isWord(answer) ? answer : undefined;
    } catch (error) {
      if (error instanceof RelayError) return undefined;
      throw error;
    }
  }

  /** Cancels a task that has not begun, without waiting for the answer. */
  private cancel(): void {
    const { url, headers } = this;
    this.tools.ask({ method: 'POST', url: `${url}/cancel`, headers }).catch(() => undefined);
  }
}

/** A refusal of the poll, or the state of the task. */
const isWord = (answer: Answer): boolean =>
  answer.status < 300
    ? textOf(outputOf(answer).task_status) !== ''
    : answer.status < 500 && answer.status !== 429;

/** Any answer except for a task that waits or runs. */
const hasEnded = (answer: Answer): boolean =>
  answer.status >= 300 || !['PENDING', 'RUNNING'].includes(textOf(outputOf(answer).task_status));

const tooLong = (): RelayError => refuse('task_timeout');

const lost = (): RelayError => refuse('task_lost');
