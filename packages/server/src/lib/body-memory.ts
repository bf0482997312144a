/** The reached limit: that of the process, or that of one owner. */
export type FullMemory = 'process' | 'owner';

/** Limits in bytes. */
export interface BodyBounds {
  process: number;
  owner: number;
}

/**
 * Counts the bytes of request bodies in memory, for the whole process and for each owner, from their arrival until
 * their request is over. Bytes are counted as stored: decoded, and whole forms.
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

  /** An account for one request of an owner; to be released when the request is over. */
  open(owner: string | number): BodyShare {
    return new BodyShare(this, owner);
  }

  /** Returns the limit that does not allow `bytes` more; undefined if they were counted. Used by shares only. */
  add(owner: string | number, bytes: number): FullMemory | undefined {
    const own = (this.byOwner.get(owner) ?? 0) + bytes;
    if (own > this.bounds.owner) return 'owner';
    if (this.total + bytes > this.bounds.process) return 'process';
    this.total += bytes;
    this.byOwner.set(owner, own);
    return undefined;
  }

  /** Releases bytes. Used by shares only. */
  remove(owner: string | number, bytes: number): void {
    const own = (this.byOwner.get(owner) ?? 0) - bytes;
    this.total -= bytes;
    if (own > 0) this.byOwner.set(owner, own);
    else this.byOwner.delete(owner);
  }
}

/** The memory of one request. */
export class BodyShare {
  private readonly memory: BodyMemory;
  private readonly owner: string | number;
  private held = 0;
  private isFree = false;

  constructor(memory: BodyMemory, owner: string | number) {
    this.memory = memory;
    this.owner = owner;
  }

  /** Counts bytes before they are stored; returns the limit that does not allow them. */
  take(bytes: number): FullMemory | undefined {
    if (bytes === 0 || this.isFree) return undefined;
    const full = this.memory.add(this.owner, bytes);
    if (full === undefined) this.held += bytes;
    return full;
  }

  /** Releases counted bytes that are no longer stored. */
  give(bytes: number): void {
    if (this.isFree || bytes === 0) return;
    this.held -= bytes;
    this.memory.remove(this.owner, bytes);
  }

  /** Releases everything when the request is over; may be called more than once. */
  free(): void {
    if (this.isFree) return;
    this.isFree = true;
    if (this.held > 0) this.memory.remove(this.owner, this.held);
  }
}
