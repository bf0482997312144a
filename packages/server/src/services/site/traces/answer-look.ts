import type { AnswerPipe, UpstreamCall } from '../../../relay/types/index.ts';

/** Model and id are at the start of an answer, its finish reason at the end. */
const headLength = 4 * 1024;
const tailLength = 16 * 1024;
/** Maximum of recorded text of an answer, if recording is on. */
const maxText = 64 * 1024;

// Quotes within text are escaped, so a name between unescaped quotes is a name of the wire format.
const model = /"(?:model|modelVersion)"\s*:\s*"([^"\\]{1,200})"/;
const id = /"(?:id|responseId)"\s*:\s*"([^"\\]{1,200})"/;
const finish = /"(?:finish_reason|stop_reason|finishReason)"\s*:\s*"([^"\\]{1,60})"/g;

/**
 * Reads facts of an answer for its trace, beside the pipe that relays it; pipes only read the data of the charge.
 * Created for traced calls only.
 */
export class AnswerLook {
  private head = '';
  private tail: string[] = [];
  private tailSize = 0;
  private readonly keepsText: boolean;
  private pipe: AnswerPipe | undefined;
  private output = '';
  private reasoning = '';

  constructor(keepsText: boolean) {
    this.keepsText = keepsText;
  }

  /** Starts to read the answer of this call. */
  over(call: UpstreamCall): void {
    const open = call.openPipe.bind(call);
    call.openPipe = (status, contentType) => this.watch(open(status, contentType));
  }

  private watch(pipe: AnswerPipe): AnswerPipe {
    const push = pipe.push.bind(pipe);
    pipe.push = (chunk) => {
      this.see(chunk);
      return push(chunk);
    };
    if (!this.keepsText) return pipe;
    const takeText = pipe.takeText.bind(pipe);
    pipe.takeText = () => {
      const text = takeText();
      this.output = (this.output + text.output).slice(0, maxText);
      this.reasoning = (this.reasoning + text.reasoning).slice(0, maxText);
      return text;
    };
    this.pipe = pipe;
    return pipe;
  }

  private see(chunk: Buffer): void {
    if (this.head.length < headLength) this.head += chunk.toString('latin1', 0, headLength);
    const end = chunk.toString('latin1', Math.max(0, chunk.length - tailLength));
    this.tail.push(end);
    this.tailSize += end.length;
    while (this.tailSize - this.tail[0]!.length >= tailLength) this.tailSize -= this.tail.shift()!.length;
  }

  get model(): string | undefined {
    return model.exec(this.head)?.[1];
  }

  get id(): string | undefined {
    return id.exec(this.head)?.[1];
  }

  /** Each reason once; several choices often end for the same reason. */
  get finishReasons(): string[] {
    return [...new Set(Array.from(this.tail.join('').matchAll(finish), (found) => found[1]!))];
  }

  /** Recorded text of the answer. It is read after the settlement, if no other part counts its text. */
  text(): { output: string; reasoning: string } {
    this.pipe?.takeText();
    return { output: this.output, reasoning: this.reasoning };
  }
}
