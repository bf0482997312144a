/** Which bound was met: that of the process, or that of one owner. */
export type FullMemory = 'process' | 'owner';

/** Bounds in bytes. */
export interface BodyBounds {
  process: number;
  owner: number;
}

/**
 * Counts the bytes of request bodies that are in memory, over the whole process and by whom they came from, from when
 * they arrive until their request is over. Bytes are counted as they are kept: decoded, and whole forms.
 */
export class BodyMemory {
  readonly bounds: BodyBounds;
  private total = 0;
  private readonly byOwner = new Map<string | number, number>();

  constructor(bounds: BodyBounds) {
    this.bounds = bounds;
  }

  /** Bytes in memory now. */
  get bytes(): number {
    return this.total;
  }

  /** An account for one request of an owner; to be freed when the request is over. */
  open(owner: string | number): BodyShare {
    return new BodyShare(this, owner);
  }

  /** Answers which bound does not allow `bytes` more; undefined where they were counted. For shares alone. */
  add(owner: string | number, bytes: number): FullMemory | undefined {
    const own = (this.byOwner.get(owner) ?? 0) + bytes;
    if (own > this.bounds.owner) return 'owner';
    if (this.total + bytes > this.bounds.process) return 'process';
    this.total += bytes;
    this.byOwner.set(owner, own);
    return undefined;
  }

  /** Gives bytes back. For shares alone. */
  remove(owner: string | number, bytes: number): void {
    const own = (this.byOwner.get(owner) ?? 0) - bytes;
    this.total -= bytes;
    if (own > 0) this.byOwner.set(owner, own);
    else this.byOwner.delete(owner);
  }
}

/** What one request has in memory. */
export class BodyShare {
  private readonly memory: BodyMemory;
  private readonly owner: string | number;
  private held = 0;
  private isFree = false;

  constructor(memory: BodyMemory, owner: string | number) {
    this.memory = memory;
    this.owner = owner;
  }

  /** Counts bytes before they are kept; answers the bound that does not allow them. */
  take(bytes: number): FullMemory | undefined {
    if (bytes === 0 || this.isFree) return undefined;
    const full = this.memory.add(this.owner, bytes);
    if (full === undefined) this.held += bytes;
    return full;
  }

  /** Gives back what was taken and is not kept any more. */
  give(bytes: number): void {
    if (this.isFree || bytes === 0) return;
    this.held -= bytes;
    this.memory.remove(this.owner, bytes);
  }

  /** The request is over. Once is enough, and more does no harm. */
  free(): void {
    if (this.isFree) return;
    this.isFree = true;
    if (this.held > 0) this.memory.remove(this.owner, this.held);
  }
}
