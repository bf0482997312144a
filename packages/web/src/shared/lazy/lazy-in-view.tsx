import { Skeleton } from '@mantine/core';
import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react';

interface LazyInViewProps {
  /** The room it will take, in px. */
  height: number;
  width: number | string;
  /** How far below the window it begins to load, in px. */
  ahead?: number;
  /** Parts made by `lazy`, or such as ask for data. */
  children: ReactNode;
}

/** In px: code is there before it is scrolled to. */
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
