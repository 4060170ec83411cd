#!/bin/bash
# enter.sh ROOT VOLUME USER COMMAND…: runs a command as a container runtime does, because none can run here: as process 1 of
# its own processes, in the file system of an image, which is read-only except for its volume, /tmp and /dev/shm, as the
# user of the image, without capabilities. The network is that of this machine.
set -e
exec unshare --mount --pid --fork --kill-child=KILL --propagation private -- /bin/bash -c '
set -e
root=$1 volume=$2 user=$3
shift 3
mount --bind "$root" "$root"
mount --bind "$volume" "$root/var/lib/svc"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/tmp"
mount -t tmpfs -o mode=755,size=64m tmpfs "$root/dev"
for device in null zero full random urandom; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir --mode=1777 "$root/dev/shm"
mount -o remount,bind,ro "$root"
cd "$root"
exec chroot "$root" /usr/bin/setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs \
  --inh-caps=-all --bounding-set=-all "$@"
' enter "$@"
