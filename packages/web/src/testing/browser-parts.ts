// Browser features that jsdom lacks: sizes, media queries, visibility. Everything is as on a wide
// screen with everything visible.

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

/** Size of the window for media queries, in px. */
const width = 1280;

/** Evaluates the console's media queries: only widths, all other features do not match. */
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

/** Elements within a line of text; the others are blocks, between which accessible names have a space. */
const inline = new Set(
  'a abbr b bdi code em i kbd label mark s small span strong sub sup svg time u'.split(' '),
);

/**
 * The style of an element by its own attributes. The console's style sheets are not loaded here, and searching for others at
 * each element of a search by role takes most of the time of a test.
 */
function ownStyle(element: Element): CSSStyleDeclaration {
  const { style } = element as HTMLElement;
  const display = element.hasAttribute('hidden')
    ? 'none'
    : inline.has(element.localName)
      ? 'inline'
      : 'block';
  return new Proxy(style, {
    get(target, name) {
      if (name === 'display') return target.display || display;
      if (name === 'getPropertyValue')
        return (property: string) =>
          target.getPropertyValue(property) || (property === 'display' ? display : '');
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Adds the missing features to the document. */
export function completeBrowser(): void {
  Object.assign(window, {
    matchMedia: media,
    ResizeObserver: SizeObserver,
    IntersectionObserver: Observer,
    scrollTo: () => {},
    getComputedStyle: ownStyle,
  });
  Object.assign(document, { fonts: new EventTarget() });
  Object.assign(Element.prototype, { scrollIntoView: () => {}, checkVisibility: () => false });
}
