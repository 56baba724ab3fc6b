# shellcheck shell=bash
# Debian's own kernel in QEMU software emulation: its image and an initramfs of ours in the cache, nothing installed of it.

# What loads before the file systems, and what each fabric adds; rdma_rxe wants a crc32 provider to exist first.
STOCK_BASE=(virtio_pci virtio_net virtio_rng 9pnet_virtio 9p overlay af_packet dummy)
STOCK_RDMA=(crc32_generic crc32c_generic libcrc32c rdma_ucm ib_uverbs ib_umad)

# Sets stock_kernel to the directory with vmlinuz and initramfs, building it when the cache has none of this shape.
stock_prepare() {
  need qemu-system-x86:qemu-system-x86_64 kmod:modprobe cpio:cpio
  local key
  key=$({ cat "$LAB_DIR/guest/stock-init" && echo "${STOCK_BASE[@]}" "${STOCK_RDMA[@]}"; } | sha256sum | cut -c1-8)
  [ -n "$(newest_stock "$key")" ] || alone stock_build "$key"
  stock_kernel=$(newest_stock "$key")
  [ -e "$stock_kernel/initramfs" ] || fail "no stock kernel in $LAB_CACHE"
}

newest_stock() { { compgen -G "$LAB_CACHE/stock-*-$1" || true; } | sort -V | tail -n 1; }

stock_build() {
  local key=$1 release source started=$SECONDS
  [ -z "$(newest_stock "$key")" ] || return 0
  [ "$(dpkg --print-architecture)" = amd64 ] || fail "the stock kernel is set up for amd64 only"
  apt_update
  release=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: linux-image-\(.*-amd64\)$/\1/p' | head -n 1)
  [ -n "$release" ] || fail "apt knows no linux-image-amd64"
  need "linux-headers-$release:/usr/src/linux-headers-$release/Makefile" gcc:gcc make:make xz-utils:xz
  say "unpacking Debian's kernel $release and building its initramfs, once"
  build=$(mktemp -d "$LAB_CACHE/build.XXXXXX")
  trap 'rm -rf "$build"' EXIT
  source=$(source_package) || exit
  (cd "$build" && unpack_package "linux-image-$release" "$build/image" && unpack_package "$source" "$build/source") || exit
  logged stock_compile "$build" "$release" ||
    fail "building the initramfs failed: $(tail -n 5 "$LAB_CACHE/build.log")"
  mkdir "$build/done"
  cp "$build/image/boot/vmlinuz-$release" "$build/done/vmlinuz"
  mv "$build/initramfs" "$build/done/initramfs"
  mv "$build/done" "$LAB_CACHE/stock-$release-$key"
  rm -rf "$build"
  trap - EXIT
  say "built in $((SECONDS - started)) s: $LAB_CACHE/stock-$release-$key"
}

stock_compile() {
  stock_siw "$@"
  stock_initramfs "$@"
}

# Debian leaves siw out; its source builds against Debian's headers as it is.
stock_siw() (
  mkdir "$1/siw"
  cd "$1/siw"
  tar -xJf "$1"/source/usr/src/linux-source-*.tar.xz --strip-components=5 --wildcards '*/drivers/infiniband/sw/siw/*'
  {
    echo 'obj-m := siw.o'
    sed -n 's/^siw-y/siw-y/p; /^\t/p; /^ /p' Makefile
  } >Makefile.ours
  mv Makefile.ours Makefile
  make -C "/usr/src/linux-headers-$2" M="$PWD" modules
  cp siw.ko "$1/image/lib/modules/$2/kernel/drivers/infiniband/sw/"
  depmod -b "$1/image" "$2"
)

stock_initramfs() (
  mkdir -p "$1/tree"/{bin,dev,proc,sys,lower,layer,root,modules}
  cd "$1/tree"
  cp "$(command -v busybox)" bin/busybox
  ln -s busybox bin/sh
  install -m 755 "$LAB_DIR/guest/stock-init" init
  : >modules/none
  stock_modules "$1/image" "$2" "${STOCK_BASE[@]}" >modules/base
  stock_modules "$1/image" "$2" "${STOCK_RDMA[@]}" rdma_rxe >modules/rxe
  stock_modules "$1/image" "$2" "${STOCK_RDMA[@]}" siw >modules/siw
  find . -print0 | cpio --null -o -H newc -R 0:0 --quiet | gzip -1 >"$1/initramfs"
)

# Copies modules with all that they depend on to modules/ and prints their file names in loading order.
stock_modules() {
  local image=$1 release=$2 name
  shift 2
  for name in "$@"; do
    modprobe -d "$image" -S "$release" --show-depends "$name"
  done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' | while read -r file; do
    cp "$file" modules/
    basename "$file"
  done
}

# Sets host_command to what boots one host: stock_command HOST.
stock_command() {
  local out_dir share=security_model=none,multidevs=remap
  out_dir=$(<"$run_dir/out")
  host_command=("$LAB_DIR/lib/to-file" "$run_dir/$1/console" qemu-system-x86_64
    -accel "tcg,thread=multi,tb-size=512" -cpu max -m "$memory" -smp "$((3 - hosts))" -nographic -no-reboot -nodefaults
    -serial stdio -kernel "$stock_kernel/vmlinuz" -initrd "$stock_kernel/initramfs" -device virtio-rng-pci
    -append "console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off lab=$run_dir lab_fabric=$fabric lab_host=$1"
    -virtfs "local,path=/,mount_tag=root,readonly=on,$share"
    -virtfs "local,path=$run_dir,mount_tag=run,$share")
  [ -z "$out_dir" ] || host_command+=(-virtfs "local,path=$out_dir,mount_tag=out,$share")
  [ "$hosts" -eq 1 ] || host_command+=(-netdev "dgram,id=wire,local.type=fd,local.str=3"
    -device "virtio-net-pci,netdev=wire,mac=52:54:00:00:00:0$1,romfile=")
}
