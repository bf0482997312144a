// What a browser has and a document without a window does not: sizes, media, what is in sight. Everything is as on a wide
// screen on which all is in sight.

class Observer {
  private readonly onSight: IntersectionObserverCallback;
  constructor(onSight: IntersectionObserverCallback) {
    this.onSight = onSight;
  }
  observe(target: Element): void {
    const entry = {
      target,
      isIntersecting: true,
      intersectionRatio: 1,
    } as unknown as IntersectionObserverEntry;
    queueMicrotask(() => this.onSight([entry], this as unknown as IntersectionObserver));
  }
  unobserve(): void {}
  disconnect(): void {}
}

class SizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

/** The size of the window that media queries are asked about, in px. */
const width = 1280;

/** Understands the console's queries: only widths, everything else is off. */
function matches(query: string): boolean {
  const least = /\((\d+)px <= width/.exec(query)?.[1];
  const below = /width < (\d+)px/.exec(query)?.[1];
  if (least === undefined && below === undefined) return false;
  return width >= Number(least ?? 0) && width < Number(below ?? Number.POSITIVE_INFINITY);
}

const media = (query: string) =>
  Object.assign(new EventTarget(), {
    matches: matches(query),
    media: query,
    onchange: null,
    addListener: () => {},
    removeListener: () => {},
  });

/** Gives the document what it lacks. */
export function completeBrowser(): void {
  Object.assign(window, {
    matchMedia: media,
    ResizeObserver: SizeObserver,
    IntersectionObserver: Observer,
    scrollTo: () => {},
  });
  Object.assign(document, { fonts: new EventTarget() });
  Object.assign(Element.prototype, { scrollIntoView: () => {}, checkVisibility: () => false });
}
