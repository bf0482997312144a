import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { texts, useTranslate } from '../../lib/i18n.ts';
import classes from './sections.module.css';

/** The current section of a long page: the first that extends below the header of the window. */
function useScrollSpy(ids: readonly string[]): string | undefined {
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

const text = texts({ title: { zh: '本页内容', en: 'On this page' } });

interface SectionsProps {
  /** The sections of the page, in order: the id of each `Section`, and its name. */
  list: readonly { id: string; title: string }[];
  /** The sections, and a substitute if there are none. */
  children: ReactNode;
}

/** A long page of sections, with a table of contents that marks the current one. */
export function Sections({ list, children }: SectionsProps) {
  const t = useTranslate();
  const names = list.map(({ id }) => id).join(' ');
  const ids = useMemo(() => names.split(' '), [names]);
  const inSight = useScrollSpy(ids);
  // An address with a section was opened before the section was rendered.
  useEffect(() => document.getElementById(window.location.hash.slice(1))?.scrollIntoView(), []);
  return (
    <div className={classes.layout}>
      <div className={classes.sections}>{children}</div>
      <nav className={classes.anchors} aria-label={t(text.title)}>
        <strong>{t(text.title)}</strong>
        {list.map(({ id, title }) => (
          <a key={id} href={`#${id}`} aria-current={id === inSight ? 'location' : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </div>
  );
}

interface SectionProps {
  id: string;
  /** True for the first section of the second column. */
  startsColumn?: boolean;
  children: ReactNode;
}

/** A section, the target of its link. */
export function Section({ id, startsColumn, children }: SectionProps) {
  return (
    <div id={id} data-starts-column={startsColumn || undefined}>
      {children}
    </div>
  );
}
