import { useEffect, useState } from 'react';

/** Which of the parts of a long page is being read: the first that reaches below the head of the window. */
export function useScrollSpy(ids: readonly string[]): string | undefined {
  const [inSight, setInSight] = useState<string>();
  useEffect(() => {
    const visible = new Set<string>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) visible.add(target.id);
          else visible.delete(target.id);
        }
        setInSight(ids.find((id) => visible.has(id)));
      },
      { rootMargin: '-90px 0px -35% 0px' },
    );
    for (const id of ids) {
      const part = document.getElementById(id);
      if (part) observer.observe(part);
    }
    return () => observer.disconnect();
  }, [ids]);
  return inSight ?? ids[0];
}
