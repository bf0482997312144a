import type { Socket } from 'node:net';
import type { Deadlines, Timed } from '../deadlines.ts';
import { readPlainHead } from './plain-head.ts';
import { PlainRequest } from './plain-request.ts';
import { PlainResponse, type ResponseConnection } from './plain-response.ts';

/** Times in milliseconds; the same as in Node's server. */
export interface PlainTimes {
  /** From the connection to its first head. */
  headersTimeout: number;
  /** From a head to the end of its body. */
  requestTimeout: number;
  /** Between an answer and the next head. */
  keepAliveTimeout: number;
}

/** State that the connections of a server share. */
export interface PlainOwner {
  readonly times: PlainTimes;
  /** The `Connection` header of answers after which the connection stays open. */
  readonly keepAlive: string;
  readonly deadlines: Deadlines<PlainConnection>;
  /** True once the server stops: a request that begins now is the last one of its connection. */
  readonly isStopping: boolean;
  /** Serves a request; false if it does not, and has done nothing. */
  take(request: PlainRequest, response: PlainResponse): boolean;
  /** Passes a connection to Node's server, with the bytes that it has not read. */
  handOver(socket: Socket, bytes: Buffer): void;
}

/** The same as in Node's server. */
const maxHeadBytes = 16 * 1024;
/** Larger bodies are rare, and Node's server does not buffer them before they are read. */
const maxBodyBytes = 1024 * 1024;
/** Most bytes of requests that arrive before the last one was answered. */
const maxPipelinedBytes = 64 * 1024;
/** A connection is kept this much longer than announced, for a request that is on its way. */
const graceMs = 1_000;
/** The time that a connection of a stopping server waits for a request that is on its way. */
const lingerMs = 1_000;
const blankLine = Buffer.from('\r\n\r\n');
const timeoutResponse = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/**
 * A caller's connection while its requests are plain: one after the other, each answered before the next is read. With
 * the first other request, the connection is passed to Node's server for good.
 */
export class PlainConnection implements Timed, ResponseConnection {
  deadline = Infinity;
  index = -1;
  isLast = false;
  readonly socket: Socket;
  private readonly owner: PlainOwner;
  private readonly onData = (bytes: Buffer): void => this.read(bytes);
  private readonly onEnd = (): void => this.onCallerEnd();
  private readonly onClose = (): void => this.closed();
  /** The last request; its body may still be arriving when it has been answered. */
  private request: PlainRequest | undefined;
  private response: PlainResponse | undefined;
  /** Bytes that arrived after the request that is being answered. */
  private pipelined: Buffer | undefined;

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
    if (this.response) this.bufferPipelined(rest);
    else this.begin(rest);
  }

  private readBody(request: PlainRequest, bytes: Buffer): number {
    const taken = request.push(bytes);
    if (request.isComplete) this.startIdleTimeout();
    return taken;
  }

  private bufferPipelined(bytes: Buffer): void {
    this.pipelined = this.pipelined ? Buffer.concat([this.pipelined, bytes]) : bytes;
    if (this.pipelined.length > maxPipelinedBytes) this.socket.pause();
  }

  /** The idle timeout runs only while the server waits for the caller. */
  private startIdleTimeout(): void {
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
    this.pipelined = rest.length > 0 ? rest : undefined;
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
      // Closes after everything is sent, even if more arrives.
      this.socket.destroySoon();
      return;
    }
    if (this.request?.isComplete) this.startIdleTimeout();
    else this.request?.drop();
    if (this.pipelined) process.nextTick(readNext, this);
  }

  /** Reads what arrived while the last request was answered. */
  readNext(): void {
    const { pipelined, request } = this;
    if (!pipelined || this.response || request?.isComplete === false || this.socket.destroyed) return;
    this.pipelined = undefined;
    this.begin(pipelined);
    if (this.socket.isPaused()) this.socket.resume();
  }

  /** The server stops: a caller with a keep-alive answer may send one more request. */
  stop(): void {
    if (!this.isBusy) this.owner.deadlines.set(this, lingerMs);
  }

  expire(): void {
    // Only a caller that waits for an answer gets one.
    if (!this.response || this.response.headersSent) this.socket.destroy();
    else this.socket.end(timeoutResponse, 'latin1', () => this.socket.destroy());
  }

  /** As in Node's server, a caller that closes its side does not wait for an answer. */
  private onCallerEnd(): void {
    if (this.response) this.socket.destroy();
    else this.socket.end();
  }

  private closed(): void {
    this.owner.deadlines.remove(this);
    this.request?.fail(new Error('the connection broke before the body was whole'));
    this.response?.close();
  }
}

const readNext = (connection: PlainConnection): void => connection.readNext();

/** Errors of a connection are handled when it closes. */
const ignore = (): void => undefined;
