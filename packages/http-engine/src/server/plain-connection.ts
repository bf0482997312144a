import type { Socket } from 'node:net';
import type { Deadlines, Timed } from '../deadlines.ts';
import { readPlainHead } from './plain-head.ts';
import { PlainRequest } from './plain-request.ts';
import { PlainResponse, type ResponsePlace } from './plain-response.ts';

/** Times in milliseconds; as Node's server has them. */
export interface PlainTimes {
  /** From the connection to its first head. */
  headersTimeout: number;
  /** From a head to the end of its body. */
  requestTimeout: number;
  /** Between an answer and the next head. */
  keepAliveTimeout: number;
}

/** What the connections of a server have in common. */
export interface PlainOwner {
  readonly times: PlainTimes;
  /** What answers say of a connection that stays. */
  readonly keepAlive: string;
  readonly deadlines: Deadlines<PlainConnection>;
  /** True from the moment the server was told to stop: what begins now is the last request of its connection. */
  readonly isStopping: boolean;
  /** Serves a request, or answers false and has done nothing. */
  take(request: PlainRequest, response: PlainResponse): boolean;
  /** Gives a connection to Node, with the bytes that it has not seen. */
  handOver(socket: Socket, bytes: Buffer): void;
}

/** As Node has it. */
const maxHeadBytes = 16 * 1024;
/** Larger bodies are rare, and Node's server does not keep what comes before somebody asks for it. */
const maxBodyBytes = 1024 * 1024;
/** Of requests that come before the last one was answered. */
const maxKeptBytes = 64 * 1024;
/** So much longer than promised a connection is kept, for a request that is on its way. */
const graceMs = 1_000;
/** A connection of a server that stops waits so long for a request that is on its way. */
const lingerMs = 1_000;
const blankLine = Buffer.from('\r\n\r\n');
const tooLate = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/**
 * A caller's connection while its requests are plain: one after the other, each answered before the next is looked at.
 * With the first that is not, it goes to Node for good.
 */
export class PlainConnection implements Timed, ResponsePlace {
  deadline = Infinity;
  place = -1;
  isLast = false;
  readonly socket: Socket;
  private readonly owner: PlainOwner;
  private readonly onData = (bytes: Buffer): void => this.read(bytes);
  private readonly onEnd = (): void => this.hearEnd();
  private readonly onClose = (): void => this.closed();
  /** The last one; its body may still be coming when it has been answered. */
  private request: PlainRequest | undefined;
  private response: PlainResponse | undefined;
  /** What came behind the request that is being answered. */
  private kept: Buffer | undefined;

  constructor(socket: Socket, owner: PlainOwner) {
    this.owner = owner;
    this.socket = socket;
    socket.setNoDelay(true).on('data', this.onData);
    socket.on('end', this.onEnd).on('close', this.onClose).on('error', ignore);
    owner.deadlines.add(this);
    owner.deadlines.set(this, owner.times.headersTimeout);
  }

  get keepAlive(): string {
    return this.owner.keepAlive;
  }

  /** True while a request is being read or answered. */
  get isBusy(): boolean {
    return this.response !== undefined || this.request?.isComplete === false;
  }

  private read(bytes: Buffer): void {
    const { request } = this;
    const taken = request?.isComplete === false ? this.readBody(request, bytes) : 0;
    if (taken === bytes.length) return;
    const rest = taken === 0 ? bytes : bytes.subarray(taken);
    if (this.response) this.keep(rest);
    else this.begin(rest);
  }

  private readBody(request: PlainRequest, bytes: Buffer): number {
    const taken = request.push(bytes);
    if (request.isComplete) this.rest();
    return taken;
  }

  private keep(bytes: Buffer): void {
    this.kept = this.kept ? Buffer.concat([this.kept, bytes]) : bytes;
    if (this.kept.length > maxKeptBytes) this.socket.pause();
  }

  /** Time is only counted while we wait for the caller. */
  private rest(): void {
    const { deadlines, times, isStopping } = this.owner;
    const idleMs = isStopping ? lingerMs : times.keepAliveTimeout + graceMs;
    deadlines.set(this, this.response ? 0 : idleMs);
  }

  private begin(bytes: Buffer): void {
    const end = bytes.indexOf(blankLine);
    const isHead = end >= 0 && end <= maxHeadBytes;
    const head = isHead ? readPlainHead(bytes.toString('latin1', 0, end + 2)) : undefined;
    if (!head || head.length > maxBodyBytes) return this.handOver(bytes);
    const { owner } = this;
    const body = bytes.subarray(end + blankLine.length);
    const request = new PlainRequest(head, this.socket);
    const rest = body.subarray(request.push(body));
    this.isLast = head.isLast || owner.isStopping;
    this.request = request;
    const response = new PlainResponse(this);
    this.response = response;
    this.kept = rest.length > 0 ? rest : undefined;
    owner.deadlines.set(this, request.isComplete ? 0 : owner.times.requestTimeout);
    if (owner.take(request, response)) return;
    this.request = undefined;
    this.response = undefined;
    this.handOver(bytes);
  }

  private handOver(bytes: Buffer): void {
    const { socket, owner } = this;
    socket.off('data', this.onData).off('end', this.onEnd).off('close', this.onClose).off('error', ignore);
    owner.deadlines.remove(this);
    owner.handOver(socket, bytes);
  }

  answered(): void {
    this.response = undefined;
    if (this.isLast) {
      // Closes when all is sent, whatever else comes.
      this.socket.destroySoon();
      return;
    }
    if (this.request?.isComplete) this.rest();
    else this.request?.drop();
    if (this.kept) process.nextTick(goOn, this);
  }

  /** Looks at what came while the last request was answered. */
  goOn(): void {
    const { kept, request } = this;
    if (!kept || this.response || request?.isComplete === false || this.socket.destroyed) return;
    this.kept = undefined;
    this.begin(kept);
    if (this.socket.isPaused()) this.socket.resume();
  }

  /** The server stops: a caller who was told that the connection stays may send one more request. */
  stop(): void {
    if (!this.isBusy) this.owner.deadlines.set(this, lingerMs);
  }

  expire(): void {
    // Only who waits for an answer is told.
    if (!this.response || this.response.headersSent) this.socket.destroy();
    else this.socket.end(tooLate, 'latin1', () => this.socket.destroy());
  }

  /** As with Node's server, a caller who says goodbye does not wait for an answer. */
  private hearEnd(): void {
    if (this.response) this.socket.destroy();
    else this.socket.end();
  }

  private closed(): void {
    this.owner.deadlines.remove(this);
    this.request?.fail(new Error('the connection broke before the body was whole'));
    this.response?.close();
  }
}

const goOn = (connection: PlainConnection): void => connection.goOn();

/** A connection that breaks is seen by its close. */
const ignore = (): void => undefined;
