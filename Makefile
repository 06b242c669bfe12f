# SPDX-License-Identifier: GPL-2.0
#
# What people type; see "make help".  kbuild reads Kbuild instead of this file.

# The only place of the version: the module, the library, the command, the
# manual pages and DKMS take it from here.
TOPDOWN_VERSION := 1.0.0-rc1
export TOPDOWN_VERSION

# Was a kernel asked for?  Then it is an error if it cannot be built for.
asked := $(filter-out undefined default,$(origin KVER) $(origin KDIR))
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
have_kernel := $(wildcard $(KDIR)/Makefile)
# KDIR alone decides when both are given.
release = $(shell cat $(KDIR)/include/config/kernel.release 2> /dev/null || echo $(KVER))

.PHONY: all modules userspace clean help
.PHONY: install modules_install userspace_install uninstall dkms_install
.PHONY: check check-full demo lint mutate fuzz bench deb rpm

all: userspace
ifneq ($(have_kernel)$(asked),)
all: modules
else
	@echo "Note: the module was not built: there are no headers of the running kernel in"
	@echo "$(KDIR).  Install them (Debian: linux-headers-$(KVER)), or say"
	@echo "make KVER=RELEASE or make KDIR=DIRECTORY.  \"make demo\" needs neither."
endif

modules:
ifeq ($(have_kernel),)
	@echo "make: no kernel to build for in $(KDIR): install linux-headers-$(KVER), or give KVER= or KDIR=" >&2
	@exit 1
else
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules
endif

userspace:
	$(MAKE) -C userspace all

install: userspace_install
ifneq ($(have_kernel)$(asked),)
install: modules_install
else
	@echo "Note: the module was not installed: no headers in $(KDIR)."
endif
ifeq ($(DESTDIR),)
	getent group topdown > /dev/null || groupadd --system topdown
	-udevadm control --reload 2> /dev/null
endif

modules_install: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) modules_install
ifeq ($(DESTDIR),)
	depmod -a $(release)
endif

userspace_install: userspace
	$(MAKE) -C userspace install

# kbuild puts external modules into updates/ or extra/, as it was configured.
uninstall:
	$(MAKE) -C userspace uninstall
	rm -f $(foreach dir,updates extra,$(foreach module,topdown topdown_latency,\
		$(DESTDIR)/lib/modules/$(release)/$(dir)/kmod/$(module).ko*))
	rm -rf $(dkms)
ifeq ($(DESTDIR),)
	-depmod -a $(release)
endif

# For "dkms add": the sources that the module needs, under the name that DKMS wants.
dkms := $(DESTDIR)/usr/src/topdown-$(TOPDOWN_VERSION)
layers := $(sort $(dir $(wildcard kmod/*/*.c)))
dkms_install:
	install -d $(addprefix $(dkms)/,$(layers) uapi/linux)
	install -m 644 Kbuild Makefile COPYING $(dkms)
	install -m 644 kmod/Kbuild $(filter-out %.mod.c,$(wildcard kmod/*.[ch])) $(dkms)/kmod
	for layer in $(layers); do \
		install -m 644 $$layer*.[ch] $(dkms)/$$layer || exit 1; \
	done
	install -m 644 uapi/linux/*.h $(dkms)/uapi/linux
	sed 's/@VERSION@/$(TOPDOWN_VERSION)/' kmod/dkms.conf.in > $(dkms)/dkms.conf
ifeq ($(DESTDIR),)
	@echo "Now: dkms install topdown/$(TOPDOWN_VERSION)"
endif

# Debian packages; DEBFLAGS are those of dpkg-buildpackage.
deb:
	userspace/deb.sh deb $(DEBFLAGS)

# RPM packages; RPMFLAGS are those of rpmbuild.
rpm:
	userspace/rpm.sh rpm $(RPMFLAGS)

clean:
	$(MAKE) -C userspace clean
ifneq ($(wildcard selftests/host/Makefile),)
	$(MAKE) -C selftests/host clean
endif
	find kmod \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name '.*.cmd' -o -name '.*.d' \) -delete
	rm -f Module.symvers modules.order kmod/Module.symvers kmod/modules.order .*.cmd
	rm -f .module-common.o
	rm -rf deb rpm

check check-full demo:
	@selftests/$@.sh

lint:
	@selftests/lint/lint.sh

mutate:
	@selftests/proof/mutate.sh

fuzz:
	@userspace/check/fuzz.sh

bench:
	@selftests/bench/run.sh

help:
	@echo 'Build:'
	@echo '  make                   the module for the running kernel, library and command'
	@echo '  make modules           only the modules, kmod/topdown.ko and kmod/topdown_latency.ko'
	@echo '  make userspace         only userspace/topdown and libtopdown'
	@echo '  make clean             remove what was built here'
	@echo 'Install (as root):'
	@echo '  make install           all, with the group "topdown" and the udev rule'
	@echo '  make modules_install, make userspace_install, make uninstall'
	@echo '  make dkms_install      the sources for DKMS, to /usr/src'
	@echo '  make deb               packages for Debian 12 or later, in deb/'
	@echo '  make rpm               packages for distributions with RPM, in rpm/'
	@echo 'Try and test (Debian 12, no Intel PMU needed):'
	@echo '  make demo              see it work in an emulated machine'
	@echo '  make check             the tests of every change, 15 to 25 minutes'
	@echo '  make check-full        these, and a debug kernel and the newest kernel'
	@echo '  make mutate            plant mistakes in the module, and see a test notice each'
	@echo '  make fuzz              fuzz what the command and the library read from others'
	@echo '  make lint              sparse, checkpatch, kernel-doc, shellcheck, ...'
	@echo '  make bench             what monitoring costs, against perf'
	@echo 'Variables:'
	@echo '  KVER=RELEASE           build for this kernel (default: the running one)'
	@echo '  KDIR=DIRECTORY         or against this kernel tree'
	@echo '  W=1                    with more warnings'
	@echo '  DESTDIR=DIRECTORY      install below it'
	@echo '  TOPDOWN_CACHE=DIRECTORY  kernels, emulator, logs (default ~/.cache/topdown)'
