# Installs, uses, upgrades, removes and purges the packages in the directory $1, below an overlay of this machine.
base=$1
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
root=/mnt/root
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mkdir -p "$root/packages"
mount --bind "$base" "$root/packages"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
# The index of all manual pages of the machine takes seconds.
rm -f "$root/var/lib/man-db/auto-update"

install_package() {
    chroot "$root" env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        dpkg --force-unsafe-io --force-confold "$@"
}
listen=127.0.0.1:0
become_gatehouse() {
    exec chroot "$root" setpriv --reuid gatehouse --regid gatehouse --clear-groups \
        env -i PATH=/usr/bin GATEHOUSE_LOG_FORMAT=json GATEHOUSE_SERVER_LISTEN="$listen" \
        gatehouse --config /etc/gatehouse/gatehouse.toml "$@"
}
as_gatehouse() {
    (become_gatehouse "$@")
}
# Starts the server, waits until it is ready, requests its readiness, and stops it.
serve() {
    mkfifo "/mnt/$1"
    listen=127.0.0.1:0
    become_gatehouse serve 2>"/mnt/$1" &
    server=$!
    exec 3<"/mnt/$1"
    while read -r line <&3; do
        case $line in *'"ready"'*) break ;; esac
    done
    listen=$(printf '%s' "$line" | sed 's/.*"server.addresses":"\([^"]*\)".*/\1/')
    as_gatehouse healthcheck
    kill "$server"
    cat <&3 >/dev/null
    wait "$server"
}

install_package --install /packages/0.0.1.deb
[ "$(chroot "$root" stat -c '%U %a' /var/lib/gatehouse)" = 'gatehouse 700' ]
[ -L "$root/etc/systemd/system/multi-user.target.wants/gatehouse.service" ]
serve first
as_gatehouse user create --username ann --email ann@example.com
echo '# changed' >>"$root/etc/gatehouse/gatehouse.toml"
install_package --install /packages/0.0.2.deb
tail -1 "$root/etc/gatehouse/gatehouse.toml" | grep -q changed
serve second
as_gatehouse user list | grep -q ann@example.com
install_package --remove gatehouse
[ ! -e "$root/usr/bin/gatehouse" ]
[ -s "$root/var/lib/gatehouse/gatehouse.sqlite3" ]
install_package --purge gatehouse
[ ! -e "$root/etc/gatehouse/gatehouse.toml" ]
[ -s "$root/var/lib/gatehouse/secret.key" ]
echo kept after purge
