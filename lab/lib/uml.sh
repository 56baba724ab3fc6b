# shellcheck shell=bash
# The User-mode Linux kernel: Debian's kernel source, our configuration, one executable in the cache.

# Sets uml_kernel to the executable, building it when no kernel of this configuration is in the cache.
uml_prepare() {
  local key
  need gcc:gcc libc6-dev:/usr/include/stdio.h
  key=$(config_key) || fail "cannot ask the processor for the size of its state"
  [ -n "$(newest_uml "$key")" ] || alone uml_build "$key"
  uml_kernel=$(newest_uml "$key")
  [ -x "$uml_kernel" ] || fail "no User-mode Linux kernel in $LAB_CACHE"
}

# The name holds the version of Debian's kernel source and this hash of our configuration and of the processor's state.
config_key() { { cat "$LAB_DIR/uml.config" "$LAB_DIR/uml.sed" "$LAB_DIR/siw.sed" && state_bytes; } | sha256sum | cut -c1-8; }

# The kernel sets the registers of its processes by ptrace, which refuses a part of the extended state of the processor.
state_bytes() {
  local program code=0
  program=$(mktemp) || return
  { gcc -O1 -o "$program" "$LAB_DIR/xsave.c" && "$program"; } || code=$?
  rm -f "$program"
  return "$code"
}

newest_uml() { { compgen -G "$LAB_CACHE/linux-*-$1" || true; } | sort -V | tail -n 1; }

uml_build() {
  local key=$1 package version started=$SECONDS
  [ -z "$(newest_uml "$key")" ] || return 0
  need make:make flex:flex bison:bison bc:bc xz-utils:xz
  package=$(source_package) || exit
  version=$(apt-cache show --no-all-versions "$package" | sed -n 's/^Version: //p')
  say "building User-mode Linux from $package $version, once: about 9 CPU minutes, on $(nproc) CPUs"
  build=$(mktemp -d "$LAB_CACHE/build.XXXXXX")
  trap 'rm -rf "$build"' EXIT
  (cd "$build" && unpack_package "$package" "$build/deb") || exit
  logged uml_compile "$build" ||
    fail "the kernel build failed: $(tail -n 5 "$LAB_CACHE/build.log")"
  mv "$build/linux" "$LAB_CACHE/linux-$version-$key"
  rm -rf "$build"
  trap - EXIT
  say "built in $(((SECONDS - started) / 60)) min $(((SECONDS - started) % 60)) s: $LAB_CACHE/linux-$version-$key"
}

source_package() {
  apt-cache depends linux-source 2>/dev/null | grep -q Depends || apt_update
  apt-cache depends linux-source | sed -n 's/.*Depends: \(linux-source-[0-9.]*\).*/\1/p' | head -n 1 | grep . ||
    fail "apt knows no linux-source package"
}

uml_compile() {
  local state
  mkdir "$1/source"
  cd "$1/source"
  unpack_source "$1"/deb/usr/src/linux-source-*.tar.xz
  sed -i -f "$LAB_DIR/uml.sed" arch/um/os-Linux/skas/process.c
  grep -q PTRACE_O_EXITKILL arch/um/os-Linux/skas/process.c
  state=$(state_bytes)
  sed -i "s/(HOST_FP_SIZE, [0-9]*)/(HOST_FP_SIZE, $state)/" arch/x86/um/user-offsets.c
  grep -q "(HOST_FP_SIZE, $state)" arch/x86/um/user-offsets.c
  sed -i -f "$LAB_DIR/siw.sed" drivers/infiniband/sw/siw/siw_cm.c
  grep -A 1 'if (!wait_for_peer_rts)' drivers/infiniband/sw/siw/siw_cm.c | grep -q 'siw_qp_socket_assoc(cep, qp);'
  make ARCH=um defconfig
  scripts/kconfig/merge_config.sh -m .config "$LAB_DIR/uml.config"
  make ARCH=um olddefconfig
  uml_check_config
  make ARCH=um -j"$(nproc)" linux
  strip -o "$1/linux" linux
}

# Into the current directory, without what is never compiled here: four files in five. Of those parts only the Kconfig
# files are read.
unpack_source() {
  local part unwanted=(--exclude='*/Documentation')
  for part in alpha arc arm arm64 csky hexagon ia64 loongarch m68k microblaze mips nios2 openrisc parisc powerpc riscv \
    s390 sh sparc xtensa; do
    unwanted+=("--exclude=*/arch/$part/*.[chS]" "--exclude=*/arch/$part/boot")
  done
  for part in sound drivers/{gpu,media,staging,scsi,usb,video,iio,hid,mtd,platform,target,comedi} \
    drivers/{pinctrl,clk,crypto,isdn,mfd,regulator,leds,hwmon,input} \
    drivers/net/{ethernet,wireless,can,dsa,wan,phy,usb} drivers/infiniband/{hw,ulp}; do
    unwanted+=("--exclude=*/$part/*.[chS]")
  done
  tar -xJf "$1" --strip-components=1 "${unwanted[@]}"
  mkdir -p Documentation
  : >Documentation/Kconfig
}

# A symbol that olddefconfig dropped for want of a dependency must not surface as a missing device.
uml_check_config() {
  local line
  grep '=y$' "$LAB_DIR/uml.config" | while read -r line; do
    grep -qx "$line" .config || { echo "not granted by Kconfig: $line" && exit 1; }
  done
}

# Sets host_command to what boots one host: uml_command HOST.
# shellcheck disable=SC2154 # run_dir, memory and hosts are lab/run's
uml_command() {
  local memory_dir=/dev/shm
  # The memory of a host is an unlinked file; containers often have a tiny /dev/shm, or one that
  # nothing may be executed from, as the memory of processes has to be.
  if ! [ "$(df --output=avail -m /dev/shm 2>/dev/null | tail -n 1)" -gt "$((memory * hosts))" ] ||
    grep -q '^[^ ]* /dev/shm [^ ]* [^ ]*noexec' /proc/mounts; then
    memory_dir=${TMPDIR:-/tmp}
  fi
  mkdir "$run_dir/$1/uml"
  ln -sf "$LAB_DIR/guest/uml-init" "$run_dir/init"
  host_command=(env "TMPDIR=$memory_dir" "$LAB_DIR/lib/to-file" "$run_dir/$1/console" "$uml_kernel" "mem=${memory}M"
    root=/dev/root rootfstype=hostfs rootflags=/ ro "init=$run_dir/init" "lab=$run_dir" "lab_host=$1"
    "uml_dir=$run_dir/$1/uml/" "umid=$1" con=null "con0=null,fd:1" quiet
    dummy.numdummies=0 bonding.max_bonds=0)
  [ "$hosts" -eq 1 ] || host_command+=("vec0:transport=fd,fd=3,mac=52:54:00:00:00:0$1,depth=128,vec=0")
}
