import type { KeyStatus } from '../../api/keys.ts';
import { Segments } from '../../ui/segments.tsx';

const OPTIONS = [
  { value: 'active', label: 'Active' },
  { value: 'revoked', label: 'Revoked' },
] as const;

export interface StatusFilterProps {
  readonly status: KeyStatus;
  readonly onChange: (status: KeyStatus) => void;
}

export const StatusFilter = ({ status, onChange }: StatusFilterProps) => (
  <div className="flex items-center border-b border-line px-4 py-2.5">
    <Segments<KeyStatus> label="Which keys" value={status} onChange={onChange} options={OPTIONS} />
  </div>
);
