import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { useStatus } from '../../lib/api/status.ts';
import { stored } from '../../lib/storage.ts';
import { text } from '../text.ts';
import { NavList } from './nav-list.tsx';
import classes from './sidebar.module.css';

/** A person's own choice comes first, then the site's (option DefaultCollapseSidebar). */
function useCollapsed(): [collapsed: boolean, toggle: () => void] {
  const own = stored.sidebarCollapsed.use();
  const bySite = useStatus()?.default_collapse_sidebar ?? false;
  const collapsed = own === '' ? bySite : own === 'true';
  return [collapsed, () => stored.sidebarCollapsed.set(collapsed ? 'false' : 'true')];
}

export function Sidebar() {
  const t = useTranslate();
  const [collapsed, toggle] = useCollapsed();
  const Icon = collapsed ? PanelLeftOpen : PanelLeftClose;
  const label = t(collapsed ? text.expand : text.collapse);
  return (
    <aside className={classes.sidebar} data-narrow={collapsed || undefined}>
      <nav className={classes.list} aria-label={t(text.sideNav)}>
        <NavList narrow={collapsed} />
      </nav>
      <div className={classes.foot}>
        <button
          type="button"
          className={classes.fold}
          onClick={toggle}
          aria-expanded={!collapsed}
          aria-label={label}
          title={collapsed ? label : undefined}
        >
          <Icon size={17} strokeWidth={1.75} aria-hidden="true" />
          {!collapsed && label}
        </button>
      </div>
    </aside>
  );
}
