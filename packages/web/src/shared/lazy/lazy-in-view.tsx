import { Skeleton } from '@mantine/core';
import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react';

interface LazyInViewProps {
  /** The expected height, in px. */
  height: number;
  width: number | string;
  /** Distance below the window at which it begins to load, in px. */
  ahead?: number;
  /** Lazy components, or components that fetch data. */
  children: ReactNode;
}

/** In px: the code loads before it is scrolled to. */
const defaultAhead = 500;

/** A part far down a page: code and data load when it is nearly visible. */
export function LazyInView({ height, width, ahead = defaultAhead, children }: LazyInViewProps) {
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || !place.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setNear(true),
      { rootMargin: `${ahead}px` },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [near, ahead]);
  const placeholder = <Skeleton height={height} width={width} />;
  return <div ref={place}>{near ? <Suspense fallback={placeholder}>{children}</Suspense> : placeholder}</div>;
}
