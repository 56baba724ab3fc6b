# Applied to arch/um/os-Linux/skas/process.c. A host's processes are processes here, traced by its kernel. Without this
# option they would run on untraced when that kernel is killed: as programs of the caller, on the caller's own files.
s/PTRACE_O_TRACESYSGOOD)/(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))/
