import type { IncomingHttpHeaders } from 'node:http';
import { type Json, type JsonObject, parseObject, textOf } from '../../../lib/json.ts';
import type { FakeExchange } from '../fake-upstream-exchange.ts';
import { type Behaviour, json } from '../fake-upstream-scripts.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream.ts';

/** A requested video. A test advances it by hand. */
export interface VideoJob {
  id: string;
  model: string;
  /** 0 if the request has no length. */
  seconds: number;
  /** The first frame, from the request; '' for none. */
  picture: string;
  state: 'waiting' | 'running' | 'done' | 'failed';
}

/** The videos of one vendor. */
class VideoJobs {
  readonly all: VideoJob[] = [];

  /** Adds a new one; its name has the vendor's prefix. */
  take(prefix: string, model: string, seconds: Json | undefined, picture: Json | undefined): VideoJob {
    const id = `${prefix}${1_000 + this.all.length}`;
    const job: VideoJob = {
      id,
      model,
      seconds: Number(seconds ?? 0),
      picture: textOf(picture),
      state: 'waiting',
    };
    this.all.push(job);
    return job;
  }

  find = (id: string | null | undefined): VideoJob | undefined => this.all.find((job) => job.id === id);

  get newest(): VideoJob {
    const job = this.all.at(-1);
    if (!job) throw new Error('no video was asked for');
    return job;
  }
}

/** A request to a vendor. */
export interface Asked {
  /** Method and path, without the query. */
  call: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: JsonObject;
  bytes: Buffer;
  /** The vendor's origin, without a trailing slash. */
  origin: string;
  jobs: VideoJobs;
}

/** A vendor's answer: JSON, the bytes of a video, or a redirect to them. */
export type Answer = { status: number; body: object } | 'video' | { location: string };

/** A video vendor as documented: the requests that it accepts, and its refusals of all others. */
export type VideoMaker = (asked: Asked) => Answer | Promise<Answer>;

/** The bytes of each video. */
export const videoBytes = Buffer.from('a video of ten seconds');

/** A vendor on its own port. */
export interface VideoFarSide extends FakeUpstream {
  jobs: VideoJobs;
}

/** Starts a vendor; `before` handles its requests first. */
export async function startVideoMaker(
  maker: VideoMaker,
  before: (answer: Behaviour) => Behaviour = (answer) => answer,
): Promise<VideoFarSide> {
  const jobs = new VideoJobs();
  const answer: Behaviour = async (exchange) => say(exchange, await maker(readAsked(exchange, jobs)));
  const upstream = await startFakeUpstream(before(answer));
  return Object.assign(upstream, { jobs });
}

/** Public address of a finished video, and the call that fetches it. */
export const videoAt = ({ origin }: Pick<Asked, 'origin'>, { id }: VideoJob): string =>
  `${origin}/videos/${id}.mp4?sign=ed`;

function readAsked(exchange: FakeExchange, jobs: VideoJobs): Asked {
  const { method, headers, body: bytes } = exchange;
  const origin = `http://${headers.host ?? ''}`;
  const { pathname, searchParams } = new URL(exchange.path, origin);
  const body = parseObject(bytes) ?? {};
  return { call: `${method} ${pathname}`, query: searchParams, headers, body, bytes, origin, jobs };
}

async function say(exchange: FakeExchange, answer: Answer): Promise<void> {
  if (answer === 'video') return sendVideo(exchange);
  if ('body' in answer) return json(answer.body, answer.status)(exchange);
  exchange.head(302, { location: answer.location, 'content-length': 0 });
  await exchange.end();
}

/** The whole video, or the requested part. */
async function sendVideo(exchange: FakeExchange): Promise<void> {
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(exchange.headers.range ?? '') ?? [];
  const part = from === '' ? videoBytes : videoBytes.subarray(Number(from), Number(to) + 1);
  exchange.head(from === '' ? 200 : 206, {
    'content-type': 'video/mp4',
    'content-length': part.length,
    ...(from !== '' && { 'content-range': `bytes ${from}-${to}/${videoBytes.length}` }),
  });
  await exchange.end(part);
}

/** Serves the address of `videoAt`, like stores with signed addresses: a key in addition to the signature is refused. */
export function publicVideo({ call, headers, query, jobs }: Asked): Answer | undefined {
  const [, id] = /^GET \/videos\/([\w-]+)\.mp4$/.exec(call) ?? [];
  if (id === undefined) return undefined;
  const error = (status: number, code: string): Answer => ({ status, body: { error: { code } } });
  if (jobs.find(id)?.state !== 'done') return error(404, 'NoSuchKey');
  if (query.get('sign') !== 'ed') return error(403, 'AccessDenied');
  return headers.authorization === undefined ? 'video' : error(400, 'InvalidArgument');
}
